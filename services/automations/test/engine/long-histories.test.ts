import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contexts, newId, openDatabase, sql, type Em } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { readOwnAudiences } from '../../src/engine/own-audiences.ts'
import type { Ctx } from '../../src/ctx.ts'
import { entities } from '../../src/entities.ts'
import { readEnrollmentPage } from '../../src/enrollments/enrollment-list.ts'
import { emptyDefinition, openAutomations, type AutomationsStage } from '../automations-stage.ts'

/** Steps of one enrollment: emails and joins among many others. */
const stepsOfHistory = 5_000
const messages = 10

let s: AutomationsStage
let ctx: Ctx
let stop: () => Promise<void>
let automationId: string
let enrollmentId: string
const [joinedFirst, joinedLast, ofEmail] = [newId(), newId(), newId()]

beforeAll(async () => {
  s = await openAutomations()
  const made = await s.automations.createAutomation(s.us, { name: 'A', slug: 'long', definition: emptyDefinition })
  automationId = made.automation!.id
  enrollmentId = newId()
  await s.stage.query(
    `insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, correlation_id, trace,
                                          enrolled_at, end_state, ended_at)
     values ($1, $2, $3, $4, $5, 'tag_added', 'c', '{}', now(), 'completed', now())`,
    [s.us.caller.workspaceId, enrollmentId, automationId, made.automation!.selectedVersion!.id, newId()],
  )
  // The joins take turns. The first message of a replay, which has no audience, is before the first email.
  await s.stage.query(
    `insert into automations.enrollment_steps (workspace_id, enrollment_id, number, step_id, node_key, node_type, outcome, message_id,
                                               audience_id, started_at, finished_at)
     select $1, $2, n, uuidv7(), case when is_join then 'join-' || n % 4 else 'email' end,
            case when is_join then 'add_audience' when n < 20 then 'send_email' else 'adjust_score' end, 'applied',
            case when not is_join and n < 20 then uuidv7() end, case when not is_join and n between 2 and 19 then $3::uuid end, now(), now()
       from (select n, n % 2 = 0 as is_join from generate_series(1, $4::int) n) steps`,
    [s.us.caller.workspaceId, enrollmentId, ofEmail, stepsOfHistory],
  )
  await s.stage.query('vacuum analyze automations.enrollment_steps')
  const service = createService('looker', { logLevel: 'silent' })
  const db = await openDatabase(service, {
    url: s.stage.databaseUrl('automations'),
    schema: 'automations',
    entities,
    poolMax: 1,
  })
  ctx = contexts(db, service, {}).ofCall(s.us) as Ctx
  stop = () => db.stop()
})
afterAll(async () => {
  await stop()
  await s.close()
})

const readSoFar = async (em: Em) => {
  const statistics = sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
     where schemaname = 'automations' and relname = 'enrollment_steps'`
  return (await statistics.execute(em.getKysely())).rows[0]!.read
}

/** What the reader answers, and how many steps it read. */
const reading = <T>(reader: (em: Em) => Promise<T>) =>
  ctx.tx(async (em) => {
    const before = await readSoFar(em)
    const answer = await reader(em)
    return { answer, read: (await readSoFar(em)) - before }
  })

test('the audiences of an email are found without reading the other steps', async () => {
  const joins = new Map([
    ['join-0', joinedFirst],
    ['join-2', joinedLast],
    ['join-9', newId()],
  ])
  const own = (audience_id: string | null, graph = { joins }) =>
    reading((em) =>
      readOwnAudiences({ workspaceId: ctx.workspaceId, tx: (work) => work(em) } as Ctx, [
        { person: { enrollment_id: enrollmentId, audience_id }, graph },
      ]),
    )
  const joined = [joinedFirst, joinedLast] // the number of the last step is a multiple of four
  const afterTag = await own(null)
  expect(afterTag.answer).toEqual(new Map([[enrollmentId, { joined, ofFirstEmail: ofEmail }]]))
  expect(afterTag.read).toBeLessThanOrEqual(2 + messages)
  const afterSubscription = await own(newId())
  expect(afterSubscription.answer).toEqual(new Map([[enrollmentId, { joined, ofFirstEmail: null }]]))
  expect(afterSubscription.read).toBeLessThanOrEqual(2)
  const withoutJoins = await own(newId(), { joins: new Map<string, string>() })
  expect(withoutJoins).toEqual({ answer: new Map(), read: 0 })
})

test('the messages of an enrollment are counted without reading its other steps', async () => {
  const page = await reading((em) =>
    readEnrollmentPage(em, { workspaceId: ctx.workspaceId, automationId, after: null, most: 10 }),
  )
  expect(page.answer.map(({ provider_calls: calls }) => calls)).toEqual([messages])
  expect(page.read).toBeLessThanOrEqual(messages)
})
