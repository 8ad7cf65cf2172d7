import { migrateMain } from '@lettergate/database/migrate'
import { schema } from './db/migrations.ts'

await migrateMain(schema)
