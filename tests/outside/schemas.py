#!/usr/bin/env python3
"""Validates what kimg-lint writes against the published schemas of the formats.

schemas.py KIMG-LINT SARIF-SCHEMA JUNIT-XSD GITLAB-SCHEMA INPUT...

The schemas are not kept here:
  sarif-schema-2.1.0.json  of oasis-tcs/sarif-spec
  JUnit.xsd                of windyroad/JUnit-Schema
  codeclimate.json         of gitlabhq/gitlabhq, app/validators/json_schemas: of one issue, in a report that is a list
Wants the Python packages jsonschema and xmlschema.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import xmlschema


def main(program, sarif_schema, junit_schema, gitlab_schema, *inputs):
    sarif_schema, gitlab_schema = (json.loads(Path(path).read_text()) for path in (sarif_schema, gitlab_schema))
    junit_schema = xmlschema.XMLSchema(junit_schema)
    results = issues = 0
    for path in inputs:
        with tempfile.TemporaryDirectory() as folder:
            sarif, junit, gitlab = (Path(folder, name) for name in ("sarif", "junit", "gitlab"))
            outputs = [f"--output=sarif={sarif}", f"--output=junit={junit}", f"--output=gitlab={gitlab}"]
            done = subprocess.run([program, "--fleet", "A100,L4,H100", "--quiet", *outputs, path], capture_output=True)
            if not sarif.exists():
                sys.exit(f"{path}: {done.stderr.decode()}")
            log = json.loads(sarif.read_text())
            jsonschema.validate(log, sarif_schema)
            junit_schema.validate(str(junit))
            report = json.loads(gitlab.read_text())
            for issue in report:
                jsonschema.validate(issue, gitlab_schema)
        results += len(log["runs"][0]["results"])
        issues += len(report)
    print(f"{len(inputs)} inputs: {results} results, {issues} issues, all valid")


if __name__ == "__main__":
    main(*sys.argv[1:])
