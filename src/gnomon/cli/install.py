"""``gnomon install``: register the server with a coding agent, or take it out again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli.scaffold import show_diffs, show_plan
from gnomon.config import PROJECT_CONFIG, find_config
from gnomon.config.paths import real
from gnomon.errors import EXIT_DONE

if TYPE_CHECKING:
    from gnomon.project.agents import Agent


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    from gnomon.project.agents import AGENTS

    parser = commands.add_parser(
        "install",
        help="register the server with a coding agent",
        description="Writes the server into the agent's own settings file; all else in it stays. "
        f"Agents: {', '.join(AGENTS)}.",
    )
    parser.add_argument("agent", metavar="AGENT", nargs="+", help="which agents, as listed above")
    parser.add_argument(
        "--scope", choices=("user", "project"), default="user", help="for all your work, or in a file of this project"
    )
    parser.add_argument(
        "--name", default="", metavar="NAME", help="name of the server (default: the project's, or gnomon)"
    )
    parser.add_argument("--uninstall", action="store_true", help="take it out again")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plan, then show or write."""
    from gnomon.project.agents import Machine, find_agents
    from gnomon.project.changes import apply
    from gnomon.project.install import InstallOptions, plan_install

    agents = find_agents(args.agent)
    config = real(find_config(args.config)) if args.config else None
    options = InstallOptions(args.scope, args.name, config, uninstall=args.uninstall)
    # All are planned before the first is written: what is refused for one changes nothing for the others.
    plans = [(agent, plan_install(agent, _project(), options, Machine())) for agent in agents]
    if args.dry_run:
        show_diffs([change for _, change in plans])
        return EXIT_DONE
    for agent, change in plans:
        if change.is_needed:
            show_plan([change])
            apply([change])
            print(_done(agent, uninstall=args.uninstall))
        else:
            state = "not registered" if args.uninstall else "registered already"
            print(f"gnomon is {state} with {agent.title}; nothing was written.")
    return EXIT_DONE


def _done(agent: Agent, *, uninstall: bool) -> str:
    if uninstall:
        return f"No longer registered with {agent.title}. {agent.restart_without}"
    return f"Registered with {agent.title}. {agent.restart}"


def _project() -> Path:
    """The project around the working directory: the folder of its settings, or the working directory itself."""
    file = find_config(str(PROJECT_CONFIG))
    return real(file.parents[1]) if file.is_file() else Path.cwd()
