import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { webhookStage, type WebhookStage } from './webhook-stage.ts'

let rig: WebhookStage
beforeAll(async () => {
  rig = await webhookStage()
})
afterAll(() => rig.close())

const known = async (envKeys: string[]) =>
  (await rig.intake.describeSigningKeys(rig.stage.caller({}), { envKeys })).known

test('only signing keys of the provider that are set are known, by name', async () => {
  expect(
    await known(['MAILPROVIDER_WEBHOOK_SIGNING_KEY', 'MAILPROVIDER_MISSING_KEY', 'DATABASE_URL', 'PATH', '']),
  ).toEqual(['MAILPROVIDER_WEBHOOK_SIGNING_KEY'])
})

test('more than 100 names are refused', () =>
  expect(known(Array.from({ length: 101 }, () => 'X'))).rejects.toMatchObject({ reason: 'env_keys' }))
