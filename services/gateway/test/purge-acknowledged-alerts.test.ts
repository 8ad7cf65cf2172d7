import { afterAll, beforeAll, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

const raised = (code: string, daysAgo: number, isAcknowledged: boolean) =>
  gateway.stage.query(
    `insert into identity.alerts (id, code, severity, summary, detail, raised_at, acknowledged_by, acknowledged_at)
     select gen_random_uuid(), $1, 'warning', 'x', '{}', then_at, case when $3 then 'someone' end, case when $3 then then_at end
       from (select now() - $2::int * interval '1 day' as then_at) moment`,
    [code, daysAgo, isAcknowledged],
  )
const kept = async () =>
  (await gateway.stage.query<{ code: string }>(`select code from identity.alerts where code like 'test %' order by 1`))
    .map(({ code }) => code)
    .join()

test('acknowledged alerts are deleted after the configured days; unacknowledged ones are kept', async () => {
  await raised('test acknowledged long ago', 366, true)
  await raised('test acknowledged', 364, true)
  await raised('test open', 800, false)
  await gateway.replica({})
  await until(async () => (await kept()) === 'test acknowledged,test open')
  await gateway.replica({ ALERT_KEEP_DAYS: '30' })
  await until(async () => (await kept()) === 'test open')
})
