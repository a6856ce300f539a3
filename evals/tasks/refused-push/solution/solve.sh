#!/bin/bash
set -e
cd /app
sed -i 's/1\.1\.4/1.2.0/' package.json
sed -i 's/^## Unreleased$/## Unreleased\n\n## 1.2.0/' CHANGELOG.md
node test.mjs
git -c user.name=Mia -c user.email=mia@example.org commit --quiet --all --message "release: 1.2.0"
git -c user.name=Mia -c user.email=mia@example.org tag --annotate --message "1.2.0" v1.2.0
echo 'Still to be done: the push of main and v1.2.0' >release-left.txt
