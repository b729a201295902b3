"""The well-known made-up data sets: names of fields and their types are the ones that tutorials everywhere rely on."""

# Long because: a schema a data set, and a catalogue of them is read by name.
from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_YEAR_2017, _YEAR_2018 = 1_487_715_775_521, 1_519_273_364_600


def _field(name: str, kind: Any, **properties: Any) -> Schema:
    return {"name": name, "type": {"type": kind, "arg.properties": properties} if properties else kind}


def _text(name: str, regex: str) -> Schema:
    return _field(name, "string", regex=regex)


def _one(name: str, *options: Any) -> Schema:
    return _field(name, "string" if isinstance(options[0], str) else "int", options=list(options))


def _number(name: str, kind: str, low: float, high: float) -> Schema:
    return _field(name, kind, range={"min": low, "max": high})


def _count(name: str, kind: str, start: int = 0, step: int = 1, **more: int) -> Schema:
    return _field(name, kind, iteration={"start": start, "step": step, **more})


def _moment(name: str, start: int = 1_609_459_200_000, step: int = 1_000) -> Schema:
    properties = {"iteration": {"start": start, "step": step}}
    return {"name": name, "type": {"type": "long", "logicalType": "timestamp-millis", "arg.properties": properties}}


def _record(name: str, *fields: Schema) -> Schema:
    return {"type": "record", "name": name, "fields": list(fields)}


_FIRST = ("Ada", "Bram", "Carla", "Dov", "Elif", "Femi", "Greta", "Hana", "Ines", "Jonas")
_LAST = ("Almeida", "Berg", "Costa", "Dias", "Eriksen", "Faria", "Gomes", "Hughes", "Ito", "Jansen")
_CITIES = ("Frankfurt", "London", "Palo Alto", "Raleigh", "New York", "San Francisco")
_IP = r"(10|111|122|222|233)\.(152|168|173|245|90)\.(145|171|203|211|249)\.(13|144|222|228|4)"
_EMAIL = r"[a-z]{4,9}[0-9]{1,3}@example\.(com|org|net)"
_STATUS = ("accepted", "preparing", "baking", "delivering")

_ADDRESS = _record(
    "address",
    _text("city", "City_[1-9][0-9]?"),
    _text("state", "State_[1-9][0-9]?"),
    _number("zipcode", "long", 10_000, 99_999),
)
_USER = (
    _number("registertime", "long", _YEAR_2017, _YEAR_2018),
    _text("userid", "User_[1-9]"),
    _text("regionid", "Region_[1-9]"),
    _one("gender", "MALE", "FEMALE", "OTHER"),
)
_LINE = _record(
    "order_line",
    _number("product_id", "int", 1, 100),
    _one("category", "pizza", "salad", "dessert", "wings", "soda"),
    _number("quantity", "int", 1, 5),
    _number("unit_price", "double", 1.0, 20.0),
    _number("net_price", "double", 1.0, 100.0),
)

# name -> (the field that becomes the key, schema)
QUICKSTARTS: dict[str, tuple[str, Schema]] = {
    "users": ("userid", _record("users", *_USER)),
    "users_": (
        "userid",
        _record(
            "users_",
            *_USER,
            {
                "name": "interests",
                "type": {"type": "array", "items": "string", "arg.properties": {"length": {"min": 1, "max": 4}}},
            },
            {
                "name": "contactinfo",
                "type": {
                    "type": "map",
                    "values": {"type": "string", "arg.properties": {"regex": "[1-9][0-9]{9}"}},
                    "arg.properties": {"length": 2, "keys": {"regex": "(phone|fax)"}},
                },
            },
        ),
    ),
    "pageviews": (
        "viewtime",
        _record(
            "pageviews",
            _count("viewtime", "long", 1, 10),
            _text("userid", "User_[1-9]"),
            _text("pageid", "Page_[1-9][0-9]?"),
        ),
    ),
    "orders": (
        "orderid",
        _record(
            "orders",
            _number("ordertime", "long", _YEAR_2017, _YEAR_2018),
            _count("orderid", "int"),
            _text("itemid", "Item_[1-9][0-9]{0,2}"),
            _number("orderunits", "double", 0.1, 10.0),
            {"name": "address", "type": _ADDRESS},
        ),
    ),
    "clickstream": (
        "ip",
        _record(
            "clickstream",
            _text("ip", _IP),
            _number("userid", "int", 1, 40),
            _one("remote_user", "-"),
            _count("time", "long", 1, 10),
            _count("_time", "long", 1, 10),
            _text("request", r"GET /(index|images/logo-small|site/login|site/user_status)\.(html|png) HTTP/1\.1"),
            _one("status", "200", "302", "404", "405", "406", "407"),
            _one("bytes", "278", "1289", "2048", "4096", "4006", "4196", "14096"),
            _one("referrer", "-"),
            _one("agent", "Mozilla/5.0 (compatible; Googlebot/2.1)", "Mozilla/5.0 (X11; Linux x86_64)", "curl/8.0"),
        ),
    ),
    "clickstream_codes": (
        "code",
        _record(
            "clickstream_codes",
            _one("code", 200, 302, 404, 405, 406, 407),
            _one("definition", "Successful", "Redirect", "Page not found", "Method not allowed", "Not acceptable"),
        ),
    ),
    "clickstream_users": (
        "user_id",
        _record(
            "clickstream_users",
            _count("user_id", "int", 1, 1, restart=50),
            _text("username", "[a-z]{4,8}_[0-9]{2}"),
            _number("registered_at", "long", 1_407_645_330_000, 1_502_339_792_000),
            _one("first_name", *_FIRST),
            _one("last_name", *_LAST),
            _one("city", *_CITIES),
            _one("level", "Gold", "Silver", "Platinum"),
        ),
    ),
    "ratings": (
        "rating_id",
        _record(
            "ratings",
            _count("rating_id", "long", 1),
            _number("user_id", "int", 1, 20),
            _number("stars", "int", 1, 6),
            _number("route_id", "int", 1, 10_000),
            _count("rating_time", "long", 1, 12),
            _one("channel", "web", "ios", "android", "iOS-test"),
            _one("message", "thank you for the friendly crew", "more legroom would be good", "late again", "fine"),
        ),
    ),
    "stock_trades": (
        "symbol",
        _record(
            "stock_trades",
            _one("side", "BUY", "SELL"),
            _number("quantity", "int", 1, 5_001),
            _one("symbol", "ZBZX", "ZJZZT", "ZTEST", "ZVV", "ZVZZT", "ZWZZT", "ZXZZT"),
            _number("price", "int", 5, 1_001),
            _one("account", "ABC123", "LMN456", "XYZ789"),
            _text("userid", "User_[1-9]"),
        ),
    ),
    "transactions": (
        "transaction_id",
        _record(
            "transactions",
            _count("transaction_id", "long", 1),
            _number("card_id", "long", 1, 26),
            _text("user_id", "User_[1-9]"),
            _count("purchase_id", "long", 0),
            _number("store_id", "int", 1, 8),
        ),
    ),
    "purchases": (
        "id",
        _record(
            "purchases",
            _count("id", "long"),
            _one("item_type", "baseball cap", "cupcake", "bicycle", "kettle", "notebook"),
            _number("quantity", "int", 1, 10),
            _number("price_per_unit", "double", 0.5, 30.0),
        ),
    ),
    "inventory": (
        "id",
        _record(
            "inventory",
            _count("id", "long"),
            _number("quantity", "int", 1, 1_000),
            _number("productid", "int", 1, 200),
        ),
    ),
    "product": (
        "id",
        _record(
            "product",
            _count("id", "long"),
            _text("name", "Product_[1-9][0-9]{0,2}"),
            _text("description", "A (small|large|round|blue) (lamp|chair|bag|desk)"),
            _number("price", "double", 1.0, 500.0),
        ),
    ),
    "credit_cards": (
        "card_id",
        _record(
            "credit_cards",
            _count("card_id", "long", 1, 1, restart=26),
            _text("card_number", "[1-9][0-9]{3}(-[0-9]{4}){3}"),
            _text("cvv", "[0-9]{3}"),
            _text("expiration_date", "(0[1-9]|1[0-2])/(2[6-9]|3[0-5])"),
        ),
    ),
    "stores": (
        "store_id",
        _record(
            "stores",
            _count("store_id", "int", 1, 1, restart=8),
            _one("city", *_CITIES),
            _one("state", "CA", "NC", "NY", "TX", "WA"),
        ),
    ),
    "campaign_finance": (
        "time",
        _record(
            "campaign_finance",
            _count("time", "long", 1, 10),
            _text("candidate_id", "[A-Z]{2}[0-9]{4}"),
            _one("party_affiliation", "DEM", "REP", "IND", "LIB"),
            _number("contribution", "long", 1, 2_500),
        ),
    ),
    "shoes": (
        "id",
        _record(
            "shoes",
            _text("id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
            _one("brand", "Braun-Bruen", "Kozey and Sons", "Sol", "Okuneva"),
            _text("name", "(Pro|Air|Trail|Street) (Runner|Walker|Jumper) [0-9]{3}"),
            _number("sale_price", "int", 2_000, 20_000),
            _number("rating", "double", 1.0, 5.0),
        ),
    ),
    "shoe_customers": (
        "id",
        _record(
            "shoe_customers",
            _text("id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"),
            _one("first_name", *_FIRST),
            _one("last_name", *_LAST),
            _text("email", _EMAIL),
            _text("phone", "[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}"),
            _text("street_address", "[1-9][0-9]{0,3} (Oak|Elm|Lake|Hill) (Street|Road|Way)"),
            _one("state", "California", "Texas", "New York", "Ohio"),
            _text("zip_code", "[0-9]{5}"),
            _one("country", "United States"),
            _one("country_code", "US"),
        ),
    ),
    "shoe_orders": (
        "order_id",
        _record(
            "shoe_orders",
            _count("order_id", "int", 1_000),
            _text("product_id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"),
            _text("customer_id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"),
            _moment("ts", step=100_000),
        ),
    ),
    "shoe_clickstream": (
        "user_id",
        _record(
            "shoe_clickstream",
            _text("product_id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"),
            _text("user_id", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"),
            _number("view_time", "int", 10, 121),
            _text("page_url", "https://www\\.acme\\.com/product/[a-z]{5}"),
            _text("ip", _IP),
            _moment("ts"),
        ),
    ),
    "pizza_orders": (
        "store_id",
        _record(
            "pizza_orders",
            _number("store_id", "int", 1, 10),
            _count("store_order_id", "int", 1_000),
            _number("coupon_code", "int", 1_000, 2_000),
            _number("date", "int", 18_000, 19_000),
            _one("status", *_STATUS),
            {
                "name": "order_lines",
                "type": {"type": "array", "items": _LINE, "arg.properties": {"length": {"min": 1, "max": 6}}},
            },
        ),
    ),
    "pizza_orders_completed": (
        "store_id",
        _record(
            "pizza_orders_completed",
            _number("store_id", "int", 1, 10),
            _count("store_order_id", "int", 1_000),
            _number("date", "int", 18_000, 19_000),
            _one("status", "completed"),
            _number("rack_time_secs", "int", 10, 60),
            _number("order_delivery_time_secs", "int", 300, 3_600),
        ),
    ),
    "pizza_orders_cancelled": (
        "store_id",
        _record(
            "pizza_orders_cancelled",
            _number("store_id", "int", 1, 10),
            _count("store_order_id", "int", 1_000),
            _number("date", "int", 18_000, 19_000),
            _one("status", "cancelled"),
        ),
    ),
    "device_information": (
        "device_ip",
        _record(
            "device_information",
            _text("device_ip", r"192\.168\.[1-9][0-9]?\.[1-9][0-9]?"),
            _text("device_name", "[A-Z]{3}_[0-9]{3}"),
            _one("owner", *_FIRST),
        ),
    ),
}
