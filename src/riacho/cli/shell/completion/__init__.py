"""What Tab offers: in `riacho shell`, and in bash, zsh and fish. Only `completer.py` and `sql_lexer.py` load the
library for terminals."""
