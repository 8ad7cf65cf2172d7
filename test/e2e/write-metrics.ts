// node test/e2e/write-metrics.ts writes the tables of docs/observability.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { declaredMetrics, metricsTables, page, withTables } from '../../tools/metrics-page.ts'
import { openConstellation } from './constellation.ts'
import { everyProcess } from './every-process.ts'

const all = await openConstellation()
try {
  const tables = metricsTables(await declaredMetrics(await everyProcess(all)))
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables))
} finally {
  await all.close()
}
process.exit()
