import ast
import os
import subprocess
import sys

shown = subprocess.run([sys.executable, "shop.py"], cwd="/app", check=True, capture_output=True, text=True).stdout
assert shown == """12 rye               CHF 47.88
3 apple pie          CHF 37.50
1 salt                CHF 2.00
------------------------------
tax                   CHF 7.08
total                CHF 94.46
""", shown
assert not os.path.exists("/app/tools.py")
sys.path.insert(0, "/app")
import tools

NAMES = "CURRENCY TAX_PERCENT WIDTH BULK_FROM BULK_PERCENT parse_line parse_order to_cents line_price order_price tax_of money row receipt"
for name in NAMES.split():
    assert hasattr(tools, name), name
HOME = {"parse_order": "parsing", "line_price": "pricing", "tax_of": "pricing", "money": "printing", "receipt": "printing"}
for name, module in HOME.items():
    assert getattr(tools, name).__module__ == f"tools.{module}", name
imports = {}
for module in ("parsing", "pricing", "printing"):
    with open(f"/app/tools/{module}.py") as file:
        text = file.read()
    assert len(text.strip().split("\n")) <= 45, module
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            source = (node.module or "").removeprefix("tools").strip(".")
            is_own = node.level > 0 or (node.module or "").split(".")[0] == "tools"
            assert not is_own or source, f"{module} imports from the package itself"
            found |= {source} if is_own else set()
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("tools.") for alias in node.names if alias.name.startswith("tools")}
    imports[module] = found
for module, found in imports.items():
    assert not [other for other in found if module in imports.get(other, set())], imports
