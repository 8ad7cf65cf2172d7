import { sql } from 'kysely'
import type { Service } from '@lettergate/service'
import type { Em } from './em.ts'
import { column } from './column.ts'
import { statement } from './statement.ts'

/** Settings of a PostgreSQL session. */
export interface DurabilitySettings {
  fsync: string
  full_page_writes: string
  synchronous_commit: string
}

const waitsForDisk = ['on', 'remote_apply']

/** How this server may lose or damage data after a successful commit. Empty if there is no known risk. */
export function durabilityRisks(settings: DurabilitySettings): string[] {
  return [
    settings.fsync === 'on'
      ? ''
      : 'fsync is off: a crash of the machine can lose commits and damage the whole database',
    settings.full_page_writes === 'on'
      ? ''
      : 'full_page_writes is off: a crash of the machine can damage pages, unless the file system writes them whole',
    waitsForDisk.includes(settings.synchronous_commit)
      ? ''
      : `synchronous_commit is ${settings.synchronous_commit} although each session asks for on: something between the service and PostgreSQL drops the options of connections; commits of the last moments can be lost`,
  ].filter((risk) => risk !== '')
}

const selectSettings = statement('select-durability-settings', {
  name: column.text<keyof DurabilitySettings>(),
  setting: column.text(),
})

/** Logs a warning for each way in which this server may lose commits, once at start. */
export async function warnOfLostCommits(service: Service, em: Em): Promise<void> {
  const found = await selectSettings.rows(
    em,
    sql`select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
  )
  const settings = Object.fromEntries(
    found.map(({ name, setting }) => [name, setting]),
  ) as unknown as DurabilitySettings
  for (const risk of durabilityRisks(settings))
    service.log.warn({ risk }, 'the database may lose commits; then an email may be sent twice')
}
