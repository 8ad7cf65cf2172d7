import { afterEach, expect, test } from '@jest/globals'
import { loadConfig } from '../src/config.ts'
import { exitCodes } from '../src/refusal.ts'
import { run } from '../src/run.ts'
import { copyOf, newFolder, removeFolders } from './export-folder.ts'

afterEach(removeFolders)

const targets = {
  IDENTITY_TARGET: '127.0.0.1:9',
  CAMPAIGNS_DELIVERY_TARGET: '127.0.0.1:9',
  AUTOMATIONS_TARGET: '127.0.0.1:9',
}
const staging = { ...targets, DEPLOYMENT_ENVIRONMENT: 'staging' }

async function program(args: string[], env: Record<string, string> = {}) {
  const printed: string[] = []
  const status = await run(args, { env, print: (text) => void printed.push(text) })
  return { status, text: printed.join('') }
}

test('a dry run reports what it would do, and asks no service', async () => {
  const { status, text } = await program([copyOf('mautic'), '--dry-run'], staging)
  expect(status).toBe(exitCodes.done)
  expect(text).toContain('event-17 (sms.send_text_sms): Lettergate has no such step')
})

test.each([
  ['no folder', []],
  ['two folders', ['/tmp', '/tmp']],
  ['a workspace without an organization', ['/tmp', '--workspace', 'newsletter']],
  ['an unknown option', ['/tmp', '--force']],
  ['a mapping that is not there', ['/tmp', '--mapping', '/nowhere.json']],
])('%s is a wrong command line', async (_, args) => {
  expect((await program(args)).status).toBe(exitCodes.usage)
})

test('targets without a certificate, only some of them, and no stack at all are a wrong environment', async () => {
  const folder = copyOf('mautic')
  const files = { TLS_CA_FILE: '/nowhere', TLS_CERT_FILE: '/nowhere' }
  for (const [env, named] of [
    [{ ...staging, ...files }, 'TLS_KEY_FILE'],
    [{ IDENTITY_TARGET: '127.0.0.1:9', DEPLOYMENT_ENVIRONMENT: 'staging' }, 'must be set together'],
    [{ LETTERGATE_STATE_DIR: newFolder() }, 'no stack runs'],
  ] as const)
    expect(await program([folder], env)).toEqual({ status: exitCodes.usage, text: expect.stringContaining(named) })
})

test('targets in an environment that is not named are refused, because it may be production', async () => {
  expect(await program([copyOf('mautic'), '--dry-run'], targets)).toEqual({
    status: exitCodes.environment,
    text: expect.stringContaining('DEPLOYMENT_ENVIRONMENT'),
  })
})

test.each(['Production', 'prod', 'PRODUCTION', ' production'])('the environment %j is refused', (name) => {
  expect(() => loadConfig({ DEPLOYMENT_ENVIRONMENT: name })).toThrow('DEPLOYMENT_ENVIRONMENT must be one of local')
})
