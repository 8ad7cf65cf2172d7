import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStage, type Stage } from '@lettergate/stage'
import { createService } from '@lettergate/service'
import { contexts, openDatabase, sql } from '../src/database.ts'
import { durabilityRisks, type DurabilitySettings } from '../src/durability.ts'
import { rows } from './query.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ schema: 'kept', role: 'kept', migrations: [] }] })
  const database = new URL(stage.adminUrl).pathname.slice(1)
  await stage.query(`alter database ${database} set synchronous_commit = off`)
})
afterAll(() => stage.close())

test('a commit waits for the disk even if the server default does not, and the start warns about possible data loss', async () => {
  const service = createService('kept', { logLevel: 'warn' })
  const risks: unknown[] = []
  service.log.warn = (about: { risk?: string }) => void risks.push(about.risk)
  try {
    const db = await service.use(
      openDatabase(service, { url: stage.databaseUrl('kept'), schema: 'kept', entities: [] }),
    )
    const shown = await contexts(db, service, {})
      .ofSystem('look')
      .tx((em) => rows<{ synchronous_commit: string }>(em, sql`show synchronous_commit`))
    expect(shown).toEqual([{ synchronous_commit: 'on' }])
  } finally {
    await service.stop()
  }
  const [server] = await stage.query<DurabilitySettings>(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes, 'on' as synchronous_commit`,
  )
  expect(risks).toEqual(durabilityRisks(server!))
})
