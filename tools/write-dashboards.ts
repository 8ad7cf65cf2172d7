// node tools/write-dashboards.ts writes charts/lettergate/files/dashboards/*.json from tools/dashboards.ts.
import { writeFileSync } from 'node:fs'
import { grafanaModel } from './dashboard.ts'
import { dashboards } from './dashboards.ts'

const folder = new URL('../charts/lettergate/files/dashboards/', import.meta.url)
for (const [name, dashboard] of Object.entries(dashboards))
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(grafanaModel(name, dashboard), null, 2)}\n`)
