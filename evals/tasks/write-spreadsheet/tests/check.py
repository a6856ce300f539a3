import os
import re
import subprocess
import sys
import tempfile


def printed(text):
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        file.write(text)
    shown = subprocess.run([sys.executable, "/app/sheet.py", file.name], capture_output=True, text=True, timeout=10)
    os.unlink(file.name)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout.replace("\r", "").rstrip("\n").split("\n")


CASES = {
    "=1+2*3": "7", "=(1+2)*3": "9", "=-2*-3": "6", "=7/2": "3.5", "=1/3": "0.333333", "=2-3-4": "-5", "=8/4/2": "1",
    "=1/0": "#DIV/0!", "=Z9": "#REF!", "=1+": "#ERROR!", "=FOO(1)": "#ERROR!", "=IF(1>2,1/0,5)": "5",
    "=if(2>=2,3,1/0)": "3", "=1<>1": "0", "=2=2": "1", "=0.1+0.2": "0.3", "=MAX(1,4,2)": "4", "=1000000*3": "3000000",
}
for (formula, value), shown in zip(CASES.items(), printed("\n".join(f'"{formula}"' for formula in CASES))):
    assert shown.strip('"') == value, (formula, shown)
assert printed("1,2,=a1+B1\n3,,=SUM(A1:B2)\nx,=AVG(A1:B2),=COUNT(A1:B2)") == ["1,2,3", "3,,6", "x,2,3"]
assert printed("=A1") == ["#CYCLE!"]
assert printed("=B1,=C1,=A1,5") == ["#CYCLE!,#CYCLE!,#CYCLE!,5"]
assert printed('=1/0,=A1+1,"=IF(A1,1,2)","=IF(0,A1,7)"') == ["#DIV/0!,#DIV/0!,#DIV/0!,7"]
assert printed("x,=A1+1,=SUM(A1:A1)") == ["x,#ERROR!,0"]
assert printed(",=A1+4,=MIN(A1:B1)") == [",4,4"]
wide = ["1"] * 27 + ["=AA1*5"]
assert printed(",".join(wide))[0].split(",")[-1] == "5"
deep = "\n".join(["1"] + [f"=A{row}+1" for row in range(1, 120)])
assert printed(deep)[-1] == "120"
with open("/app/test_sheet.py") as file:
    assert len(re.findall(r"^ +def test_", file.read(), re.M)) >= 10, "fewer than ten tests"
subprocess.run([sys.executable, "-m", "unittest", "-q"], cwd="/app", check=True, timeout=20)
