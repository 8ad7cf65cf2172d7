// Removes from every package.json below the current folder what only tests and builds need. `turbo prune --production` leaves
// those workspaces out, but the manifests still name them, and npm would look for them in a registry.
import { globSync, readFileSync, writeFileSync } from 'node:fs'

for (const path of globSync(['package.json', '*/*/package.json'])) {
  const { devDependencies: _dev, optionalDependencies: _optional, ...kept } = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`)
}
