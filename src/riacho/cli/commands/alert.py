"""`riacho alert`: what the control center watches, what fires, and a test of a webhook."""

from __future__ import annotations

from typing import Any

import click

from riacho.cli.console_client import ConsoleClient, console_options
from riacho.cli.failures import PlainGroup, did_you_mean
from riacho.cli.output import JSON, confirm, output_option, remark, show_json, show_rows, yes_option

Rule = dict[str, Any]

_RULE_COLUMNS = ("name", "kind", "above", "for_s", "target", "webhook", "is_on")
_ALERT_COLUMNS = ("rule", "target", "state", "value", "above", "at_ms")


@click.group("alert", cls=PlainGroup)
def command() -> None:
    """List, set and delete the control center's alert rules, and test webhooks.

    \b
    riacho alert list
    riacho alert list --firing
    riacho alert set "Billing is late" --kind lag --target billing --above 500
    riacho alert off "Billing is late"
    riacho alert test-webhook ops
    """


@command.command("list")
@click.option("--firing", is_flag=True, help="Not the rules, but what fires now.")
@output_option
@console_options
def list_(firing: bool, output: str, console: ConsoleClient) -> None:
    """List the rules, or what fires.

    \b
    riacho alert list
    riacho alert list --firing -o json
    """
    found = console.get("/alerts/firing")["firing"] if firing else _rules(console)
    if output == JSON:
        show_json(found)
        return
    columns = _ALERT_COLUMNS if firing else _RULE_COLUMNS
    empty = "Nothing fires." if firing else "There are no rules. `riacho alert set NAME --kind KIND` makes one."
    show_rows(found, columns, output, empty=empty)


@command.command("set")
@click.argument("name")
@click.option(
    "--kind",
    metavar="KIND",
    help="lag, under_replicated, offline, failed_tasks, failed_queries, disk, broker_down and so on.",
)
@click.option("--above", type=click.FloatRange(min=0), metavar="N", help="Records, partitions, tasks, or percent.")
@click.option("--for", "for_s", type=click.IntRange(0, 86_400), metavar="S", help="For so many seconds. Default 60.")
@click.option("--target", metavar="NAME", help="A group, connector or broker; * at the end for all that begin so.")
@click.option("--webhook", metavar="NAME", help="One of the console's settings file; empty for none.")
@click.option("--on/--off", "is_on", default=None, help="Whether it is looked after. Default: on.")
@console_options
def set_(name: str, console: ConsoleClient, **given: Any) -> None:
    """Make a rule, or change what is named of one that is there.

    \b
    riacho alert set "Disk" --kind disk --above 85 --for 300 --webhook ops
    riacho alert set "Disk" --above 80
    """
    settings = console.get("/alerts")
    rules: list[Rule] = settings["rules"]
    changes = {key: value for key, value in given.items() if value is not None}
    if "webhook" in changes:
        changes["webhook"] = changes["webhook"] or None
    if "kind" in changes and changes["kind"] not in settings["kinds"]:
        told = did_you_mean(changes["kind"], settings["kinds"])
        raise click.UsageError(f"There is no kind '{changes['kind']}'{told} There are {', '.join(settings['kinds'])}.")
    is_new = all(rule["name"] != name for rule in rules)
    if is_new:
        if "kind" not in changes:
            raise click.UsageError(f"There is no rule '{name}': a new one needs --kind.")
        rules.append({"name": name, **changes})
    else:
        rules = [rule | changes if rule["name"] == name else rule for rule in rules]
    _save(console, rules)
    click.echo(f"{'Created' if is_new else 'Changed'} rule {name}.")


def _switch(word: str, is_on: bool, about: str, done: str) -> None:
    @command.command(word, help=f'{about}\n\n\b\nriacho alert {word} "Broker down"')
    @click.argument("name")
    @console_options
    def switch(name: str, console: ConsoleClient) -> None:
        rules = _rules(console)
        _one(rules, name)["is_on"] = is_on
        _save(console, rules)
        remark(f"{name} {done}.")


_switch("on", True, "Look after a rule again.", "is on")
_switch("off", False, "Let a rule rest; it stays in the list.", "is off")


@command.command("delete")
@click.argument("name")
@yes_option
@console_options
def delete(name: str, yes: bool, console: ConsoleClient) -> None:
    """Delete a rule.

    \b
    riacho alert delete "Broker down"
    """
    rules = _rules(console)
    gone = _one(rules, name)
    confirm(f"Delete the rule {name}?", yes)
    _save(console, [rule for rule in rules if rule is not gone])
    remark(f"{name} is deleted.")


@command.command("test-webhook")
@click.argument("webhook")
@console_options
def test_webhook(webhook: str, console: ConsoleClient) -> None:
    """Send a test to a webhook of the console's settings file. Exit code 1 when it does not take it.

    \b
    riacho alert test-webhook ops
    """
    told = console.change("POST", "/alerts/test", {"webhook": webhook})
    if not told["is_delivered"]:
        reason = str(told["reason"] or f"it answered {told['status']}").rstrip(".")
        raise click.ClickException(f"{webhook} did not take it: {reason}.")
    click.echo(f"{webhook} took it (status {told['status']}).")


def _rules(console: ConsoleClient) -> list[Rule]:
    rules: list[Rule] = console.get("/alerts")["rules"]
    return rules


def _one(rules: list[Rule], name: str) -> Rule:
    for rule in rules:
        if rule["name"] == name:
            return rule
    raise click.ClickException(f"There is no rule '{name}'{did_you_mean(name, (str(rule['name']) for rule in rules))}")


def _save(console: ConsoleClient, rules: list[Rule]) -> None:
    console.change("PUT", "/alerts", {"rules": rules})
