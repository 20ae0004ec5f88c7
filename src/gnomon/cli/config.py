"""``gnomon config``: where settings, index and models are, and what is in force."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli.render import json_text, safe_line
from gnomon.cli.session import open_config
from gnomon.errors import EXIT_DONE


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("config", help="where settings, index and models are")
    parser.add_argument("--json", action="store_true", help="print JSON, with every key and its value in force")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print places and folders."""
    from gnomon.corpus.places import shown_place

    config = open_config(args)
    rows = {
        "configFile": str(config.file),
        "configFileExists": config.file.is_file(),
        "indexDir": str(config.index_dir),
        "modelCacheDir": str(config.model_dir),
        "storeBackend": config["storeBackend"],
        "model": config.model_name or "all-MiniLM-L6-v2 (default)",
        "folders": [{"name": f.name, "path": str(f.root)} for f in config.folders],
        "missingFolders": [str(path) for path in config.missing],
    }
    if args.json:
        print(json_text({**rows, "values": dict(config.values)}))
        return EXIT_DONE
    print(f"settings file  {safe_line(str(config.file))}{'' if rows['configFileExists'] else ' (not written yet)'}")
    print(f"index          {safe_line(str(shown_place(config)))} ({config['storeBackend']})")
    print(f"built models   {safe_line(str(config.model_dir))}")
    print(f"model          {safe_line(str(rows['model']))}")
    for folder in config.folders:
        print(f"folder         {safe_line(folder.name)}\t{safe_line(str(folder.root))}")
    for path in config.missing:
        print(f"folder         {safe_line(str(path))} (missing on disk)")
    print("The index holds the plain text of what was indexed.")
    return EXIT_DONE
