import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

type Verdict = 'ready' | 'passed' | 'failed'
interface Look {
  number: number
  daysAgo: number
  verdict: Verdict
}

/** A domain of a new workspace with these checks. */
async function domainWith(looks: readonly Look[]) {
  const ctx = rig.owner()
  const { id } = await rig.domain(ctx)
  await rig.stage.query(
    `insert into sending.domain_checks (id, workspace_id, sending_domain_id, number, passed, is_ready, evidence, requested_by, checked_at)
     select gen_random_uuid(), $1, $2, number, verdict <> 'failed', verdict = 'ready', '{}', 'test', clock_timestamp() - "daysAgo" * interval '1 day'
       from jsonb_to_recordset($3::jsonb) as look (number bigint, "daysAgo" float8, verdict text)`,
    [ctx.workspaceId, id, JSON.stringify(looks)],
  )
  const kept = async () =>
    (
      await rig.stage.query<{ number: number }>(
        `select number::int from sending.domain_checks where sending_domain_id = $1 order by number`,
        [id],
      )
    ).map(({ number }) => number)
  return { ctx, id, kept }
}

const series = (verdict: Verdict, from: { number: number; daysAgo: number }, count: number): Look[] =>
  Array.from({ length: count }, (_, n) => ({ verdict, number: from.number + n, daysAgo: from.daysAgo - n / 100 }))

test('of old checks only the first and the last of each period with one verdict stay, and all recent checks stay', async () => {
  const changing = await domainWith([
    ...series('ready', { number: 1, daysAgo: 200 }, 4),
    ...series('failed', { number: 5, daysAgo: 190 }, 2),
    ...series('passed', { number: 7, daysAgo: 180 }, 1),
    ...series('ready', { number: 8, daysAgo: 170 }, 5),
    ...series('ready', { number: 13, daysAgo: 89 }, 5),
    ...series('failed', { number: 18, daysAgo: 40 }, 3),
  ])
  const single = await domainWith(series('failed', { number: 1, daysAgo: 1_000 }, 1))
  const large = await domainWith(series('ready', { number: 1, daysAgo: 400 }, 2_500))

  await Promise.all([rig.replica(), rig.replica()])
  await until(async () => (await large.kept()).length === 2, {
    what: 'the deletion of old checks',
  })
  await until(async () => (await changing.kept()).length === 14, {
    what: 'the deletion of old checks',
  })
  expect(await large.kept()).toEqual([1, 2_500])
  expect(await changing.kept()).toEqual([1, 4, 5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19, 20])
  expect(await single.kept()).toEqual([1])
})

test('the remaining checks are listed in pages, and the retention is a setting', async () => {
  const { ctx, id, kept } = await domainWith(series('ready', { number: 1, daysAgo: 5 }, 6))
  await rig.replica({ DOMAIN_CHECK_KEEP_DAYS: '4' })
  await until(async () => (await kept()).length === 2, { what: 'the deletion of old checks' })
  const first = await rig.sending.listDomainChecks(ctx, { domainId: id, limit: 1 })
  const second = await rig.sending.listDomainChecks(ctx, { domainId: id, limit: 1, cursor: first.nextCursor! })
  expect([...first.checks, ...second.checks].map(({ isReady }) => isReady)).toEqual([true, true])
  expect(second.nextCursor).toBeUndefined()
})
