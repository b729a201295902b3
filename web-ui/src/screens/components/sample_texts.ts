// What several samples show.
export const JSON_TEXT = '{"order": 9007199254740993, "paid": true, "note": null, "items": [{"sku": "brook-1", "count": 2, "price": 12.50}, {"sku": "brook-2", "count": 1, "price": 3.0}], "buyer": {"name": "Ana <b>", "city": "Belo Horizonte"}}';
export const BEFORE = '{\n  "type": "record",\n  "name": "Order",\n  "fields": [\n    {"name": "id", "type": "long"},\n    {"name": "note", "type": "string"}\n  ]\n}';
export const ACTION = { method: "POST" as const, path: "/clusters/c/topics", body: { name: "orders" }, command: "kafka-topics --create --topic orders" };
