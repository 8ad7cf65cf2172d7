// Migrates the schema of every service, one after the other, with the settings of the migration of one service.
import { migrateMain } from '@lettergate/database/migrate'
import { schemas } from './schemas.ts'

for (const schema of Object.values(schemas)) await migrateMain(schema)
