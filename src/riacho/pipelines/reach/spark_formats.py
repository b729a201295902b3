"""Which formats of Spark's, and which of their options, a connector's config may name.

What stands in a file format's options goes into Hadoop's settings, where classes are loaded by name; what stands in
those of `jdbc` goes to the driver. So each format has the list of the options that are taken. A format that the
worker's owner has allowed and that is not in this table takes any option, but for files, addresses and clients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from riacho.pipelines.reach.jdbc import driver_refusal, jdbc_refusal
from riacho.pipelines.reach.limits import ALL, FORMATS, Limits
from riacho.pipelines.reach.paths import folder_refusal

OPTION = "spark.option."


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOLDERS = frozenset({"path", "basepath", "sourcearchivedir"})
_CODECS = _words("none uncompressed snappy gzip deflate bzip2 zlib lz4 lz4_raw lzo zstd zstandard brotli xz")
_FILES = _FOLDERS | _words(
    """compression codec mergeschema pathglobfilter recursivefilelookup modifiedbefore modifiedafter maxfilespertrigger
    maxbytespertrigger maxcachedfiles latestfirst maxfileage filenameonly cleansource ignoremissingfiles
    ignorecorruptfiles maxrecordsperfile partitionoverwritemode"""
)
_TEXT = _FILES | frozenset({"wholetext", "linesep", "encoding", "charset"})
_JSON = _TEXT | _words(
    """multiline mode columnnameofcorruptrecord dateformat timestampformat timestampntzformat timezone locale
    enabledatetimeparsingfallback samplingratio primitivesasstring prefersdecimal dropfieldifallnull ignorenullfields
    allowcomments allowunquotedfieldnames allowsinglequotes allownumericleadingzeros allownonnumericnumbers
    allowbackslashescapinganycharacter allowunquotedcontrolchars writenonasciicharacterascodepoint"""
)
_CSV = _TEXT | _words(
    """header sep delimiter quote escape comment inferschema enforceschema prefersdate ignoreleadingwhitespace
    ignoretrailingwhitespace nullvalue nanvalue positiveinf negativeinf emptyvalue maxcolumns maxcharspercolumn
    unescapedquotehandling chartoescapequoteescaping quoteall escapequotes multiline mode columnnameofcorruptrecord
    dateformat timestampformat timestampntzformat timezone locale enabledatetimeparsingfallback samplingratio"""
)
_TOPICS = _words(
    """subscribe subscribepattern assign topic startingoffsets startingtimestamp startingoffsetsbytimestamp
    startingoffsetsbytimestampstrategy failondataloss maxoffsetspertrigger minoffsetspertrigger maxtriggerdelay
    minpartitions maxrecordsperpartition includeheaders fetchoffset.numretries fetchoffset.retryintervalms
    kafkaconsumer.polltimeoutms groupidprefix riacho.delivery"""
)
_OPTIONS: Mapping[str, frozenset[str]] = {
    "text": _TEXT,
    "json": _JSON,
    "csv": _CSV,
    "parquet": _FILES | {"datetimerebasemode", "int96rebasemode"},
    "orc": _FILES,
    "binaryfile": _FILES,
    "avro": _FILES | {"avroschema", "recordname", "recordnamespace", "mode", "positionalfieldmatching"},
    "delta": _words(
        """path mergeschema overwriteschema maxfilespertrigger maxbytespertrigger ignorechanges ignoredeletes
        startingversion startingtimestamp failondataloss readchangefeed usermetadata optimizewrite"""
    ),
    "rate": frozenset({"rowspersecond", "rampuptime", "numpartitions"}),
    "rate-micro-batch": frozenset(
        {"rowsperbatch", "numpartitions", "starttimestamp", "advancemillisperbatch", "advancemsperbatch"}
    ),
    "noop": frozenset(),
    "riacho": _TOPICS,
    "kafka": _TOPICS,
    "jdbc": _words(
        """url dbtable user password driver batchsize isolationlevel numpartitions truncate cascadetruncate
        createtableoptions createtablecolumntypes querytimeout"""
    ),
}
# Column defaults and generated columns are expressions, and expressions can call any class of the JVM's.
_EXPRESSION = re.compile(r"\b(DEFAULT|GENERATED)\b", re.IGNORECASE)


def spark_refusals(
    format_name: str, configs: Mapping[str, str], limits: Limits, *, is_replaced: bool = False
) -> Iterator[tuple[str, str]]:
    """(setting, why it is refused) of a connector that hands `spark.option.*` to the format."""
    for name in ("spark.schema", "schema"):
        if _EXPRESSION.search(configs.get(name, "")):
            yield name, "a schema has names and types here, and no expressions"
    name = format_name.strip().lower()
    if ALL not in limits.formats and name not in {each.lower() for each in limits.formats}:
        yield "spark.format", f"the format {format_name} is not among {FORMATS}"
        return
    options = {each: each.lower().removeprefix(OPTION) for each in configs if each.lower().startswith(OPTION)}
    for setting, option in options.items():
        refusal = _option_refusal(name, option, configs[setting], limits, is_replaced)
        if refusal is not None:
            yield setting, refusal
    if name == "jdbc":
        yield from _database_refusals(
            {option: (setting, configs[setting]) for setting, option in options.items()}, limits
        )


def _option_refusal(name: str, option: str, value: str, limits: Limits, is_replaced: bool) -> str | None:
    taken = _OPTIONS.get(name)
    if option.startswith("kafka.") and (taken is None or taken is _TOPICS):
        # Judged as a client's setting.
        return None
    if taken is not None and option not in taken:
        return f"'{option}' is not among the options of {name} that are taken from a connector"
    if option in ("compression", "codec") and value.strip().lower() not in _CODECS:
        return f"'{value}' is none of Spark's names for compression"
    if option in _FOLDERS or (taken is None and option.endswith(("path", "location", "file", "dir", "url"))):
        return folder_refusal(value, limits, is_replaced=is_replaced and option == "path")
    return None


def _database_refusals(options: Mapping[str, tuple[str, str]], limits: Limits) -> Iterator[tuple[str, str]]:
    setting, url = options.get("url", (f"{OPTION}url", ""))
    refusal = jdbc_refusal(url, limits)
    if refusal is not None:
        yield setting, refusal
    if "driver" in options:
        setting, driver = options["driver"]
        refusal = driver_refusal(driver, url)
        if refusal is not None:
            yield setting, refusal


def spark_options(configs: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(OPTION): text for name, text in configs.items() if name.startswith(OPTION)}
