// node test/charts/write-files.ts: the files of the charts that are made from the code.
import { writeFileSync } from 'node:fs'
import { databaseFiles } from './database-files.ts'
import { valuesSchema } from './values-schema.ts'

const charts = new URL('../../charts/', import.meta.url)
for (const [name, text] of Object.entries(await databaseFiles()))
  writeFileSync(new URL(`lettergate-database/files/${name}`, charts), text)
writeFileSync(new URL('lettergate/values.schema.json', charts), `${JSON.stringify(await valuesSchema(), null, 2)}\n`)
