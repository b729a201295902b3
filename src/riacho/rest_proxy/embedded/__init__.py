"""The data inside requests and answers: embedded formats, between their JSON form and the bytes of a record."""
