import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId, row, sql } from '@lettergate/database'
import type { HoldReason } from '../../src/connections/backoff.ts'
import { askLine, beginTrial, restLine, trustLine, type Line } from '../../src/connections/connection-hold.entity.ts'
import { lockPace, payPace } from '../../src/connections/connection-pace.entity.ts'
import { pace } from '../../src/connections/pace.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
}, 60_000)
afterAll(() => rig.close())

const newLine = (connectionId = newId(), domainName = 'mail.acme.test'): Line => ({
  workspaceId,
  connectionId,
  domainName,
})
const tx = <T>(work: Parameters<typeof rig.system.tx<T>>[0]) => rig.in(workspaceId).tx(work)
const now = async () => (await tx((em) => row<{ now: string }>(em, sql`select clock_timestamp() as now`)))!.now
const rest = (line: Line, reason: HoldReason, claimedAt: string) =>
  tx((em) => restLine(em, line, { reason, retryAfterMs: 0, claimedAt }))
const ask = (line: Line) => tx((em) => askLine(em, line))
const failuresOf = async ({ connectionId }: Line) =>
  (
    await rig.stage.query<{ failures: number }>(
      'select failures from campaigns.connection_holds where connection_id = $1',
      [connectionId],
    )
  )[0]?.failures
const restsOver = (line: Line) =>
  rig.stage.query(`update campaigns.connection_holds set until = now() where connection_id = $1`, [line.connectionId])

test('calls that fail together are one failure, and a trial that fails is the next', async () => {
  const line = newLine()
  const claimedAt = await now()
  const [first, ...more] = await Promise.all(Array.from({ length: 6 }, () => rest(line, 'unreachable', claimedAt)))
  expect(await failuresOf(line)).toBeLessThanOrEqual(2) // two transactions may begin before either has said so
  for (const { until } of more) expect(until.getTime() - first!.until.getTime()).toBeLessThan(5_000)
  const before = (await failuresOf(line))!
  await restsOver(line)
  await tx(async (em) => {
    expect(await askLine(em, line)).toMatchObject({ kind: 'trial' })
    await beginTrial(em, line)
  })
  expect(await ask(line)).toMatchObject({ kind: 'resting' })
  const { until } = await rest(line, 'unreachable', await now())
  expect(await failuresOf(line)).toBe(before + 1)
  expect(until.getTime()).toBeLessThan(Date.parse(await now()) + 10_000)
})

test('a domain that is refused rests alone; the connection and its other domains are open', async () => {
  const line = newLine()
  const other = newLine(line.connectionId, 'b.acme.test')
  expect((await rest(line, 'domain_refused', await now())).isNew).toBe(true)
  expect((await rest(line, 'domain_refused', await now())).isNew).toBe(false)
  expect(await ask(line)).toMatchObject({ kind: 'resting' })
  expect(await ask(other)).toEqual({ kind: 'open' })
  await rest(line, 'rate_limited', await now())
  expect(await ask(other)).toMatchObject({ kind: 'resting' })
  await tx((em) => trustLine(em, line))
  expect([await ask(line), await ask(other)]).toEqual([{ kind: 'open' }, { kind: 'open' }])
})

test('over all workers no more is paid for than the rate allows', async () => {
  const line = newLine()
  const perSecond = 1
  const handOver = () =>
    tx(async (em) => {
      const paced = pace(await lockPace(em, line), 600, perSecond)
      if (paced.kind === 'go') await payPace(em, line, paced.aheadMs)
      return paced.kind
    })
  const went = await Promise.all(Array.from({ length: 10 }, handOver))
  // the first on its credit; ten minutes are paid for then
  expect(went.filter((kind) => kind === 'go')).toHaveLength(1)
})
