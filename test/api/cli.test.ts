import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import { until } from '@lettergate/stage'
import { commandLine, type CommandLine } from './command-line.ts'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

let ready: ReadyStage
let cli: CommandLine
let audienceId: string
beforeAll(async () => {
  ready = await readyToSend()
  cli = commandLine(ready.gateway.baseUrl)
  audienceId = await audience(ready.gateway, 'News')
})
afterAll(async () => {
  cli.remove()
  await ready.gateway.close()
})

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

describe('help and completion', () => {
  test('help teaches with examples, and a wrong command is 2', async () => {
    const help = await cli(null, '--help')
    expect(help).toMatchObject({ exit: 0, out: expect.stringContaining('Start here:') })
    expect((await cli(null, 'help', 'import')).out).toContain('A whole import:')
    expect(await cli(null, 'fly')).toMatchObject({ exit: 2, err: expect.stringContaining("unknown command 'fly'") })
    expect(await cli('owner', 'contacts', 'add', 'a@example.org')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--source'),
    })
  })

  test('each shell gets a script, which asks the program for words', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await cli(null, 'completion', shell)).toMatchObject({
        exit: 0,
        out: expect.stringContaining('lettergate complete --'),
      })
    expect((await cli(null, 'completion', 'dos')).exit).toBe(2)
    expect((await cli(null, 'complete', '--', 'campaign')).out.split('\n')).toEqual(
      expect.arrayContaining(['draft', 'watch']),
    )
    expect((await cli(null, 'complete', '--', 'campaign', 'schedule')).out.split('\n')).toContain('--at')
  })
})

describe('signing in', () => {
  test('keeps the token in a file that only its owner reads, and commands use it', async () => {
    cli.piped = 'wallet-session-dev-editor'
    const signedIn = await cli(null, 'sign-in', '--url', ready.gateway.baseUrl, '--workspace', 'acme/newsletter')
    expect(signedIn).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Signed in as editor. Workspace acme/newsletter.'),
    })
    expect(statSync(cli.settingsFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(cli.settingsFile, 'utf8')).toContain('wallet-session-dev-editor')
    expect(await cli(null, 'whoami')).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/user +editor[\s\S]*acme\/newsletter +editor/),
    })
    chmodSync(cli.settingsFile, 0o644)
    expect(await cli(null, 'whoami')).toMatchObject({ exit: 2, err: expect.stringContaining('chmod 600') })
    chmodSync(cli.settingsFile, 0o600)
    expect((await cli(null, 'sign-out')).exit).toBe(0)
    expect(await cli(null, 'whoami')).toMatchObject({ exit: 3, err: expect.stringContaining('lettergate sign-in') })
  })

  test('with a token that is not valid, or for a workspace of others, keeps nothing', async () => {
    cli.piped = 'wallet-session-dev-expired'
    expect((await cli(null, 'sign-in')).exit).toBe(3)
    expect(await cli('editor', 'sign-in', '--workspace', 'globex/main')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('not a member'),
    })
    cli.piped = ''
    expect((await cli(null, 'sign-in')).exit).toBe(2)
    expect(() => statSync(cli.settingsFile)).toThrow('ENOENT')
  })

  test('workspaces are listed with role and sending', async () => {
    expect(await cli('editor', 'workspaces')).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^acme\/newsletter +editor .*sending is on$/m),
    })
  })

  test('the program that npm installs runs', async () => {
    const main = resolve(import.meta.dirname, '../../node_modules/.bin/lettergate')
    const env = { ...process.env, LETTERGATE_TOKEN: 'wallet-session-dev-owner', LETTERGATE_URL: ready.gateway.baseUrl }
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'whoami', '--json'], { env })
    expect(json(stdout)).toMatchObject({ user: { username: 'owner' } })
  })
})

test('a token never travels to another machine without encryption', async () => {
  expect(await cli('owner', '--url', 'http://example.org', 'whoami')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('https'),
  })
})

describe('contacts', () => {
  const email = 'ada+cli@example.org'

  test('are added, changed and shown', async () => {
    expect(
      await cli('editor', 'contacts', 'add', email, '--source', 'test', '--first-name', 'Ada', '--tag', 'a', 'b'),
    ).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^Added\.[\s\S]*tags +a, b$/m),
    })
    expect((await cli('editor', 'contacts', 'add', email, '--source', 'test', '--company', 'Acme')).out).toContain(
      'Changed.',
    )
    const shown = await cli('analyst', 'contacts', 'show', email, '--json')
    expect(json(shown.out)).toMatchObject({ contact: { first_name: 'Ada', company: 'Acme', tags: ['a', 'b'] } })
    expect(await cli('analyst', 'contacts', 'show', 'nobody@example.org')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('404'),
    })
  })

  test('cannot write control characters or lines of their own to the terminal', async () => {
    const name = 'Eve\u001b[2J\u009b1A\u202e\nemail  ada@example.org'
    await cli('editor', 'contacts', 'add', 'eve@example.org', '--source', 'test', '--first-name', name)
    const { out } = await cli('analyst', 'contacts', 'show', 'eve@example.org')
    expect(out).toContain('Eve\ufffd[2J\ufffd1A\ufffd\ufffdemail  ada@example.org')
    for (const mark of ['\u001b', '\u009b', '\u202e']) expect(out).not.toContain(mark)
    const asJson = await cli('analyst', 'contacts', 'show', 'eve@example.org', '--json')
    expect(json(asJson.out)).toMatchObject({ contact: { first_name: name } })
    expect(asJson.out).not.toContain('\u009b')
  })

  test('are eligible or not, with every reason in words', async () => {
    const before = await cli('analyst', 'contacts', 'eligibility', email, audienceId)
    expect(before).toMatchObject({
      exit: 5,
      out: expect.stringContaining('consent_missing: There is no consent for this audience.'),
    })
    expect(
      await cli('editor', 'contacts', 'subscribe', email, audienceId, '--source', 'form', '--wording', '1'),
    ).toMatchObject({
      exit: 0,
      out: expect.stringContaining('is subscribed'),
    })
    expect(await cli('analyst', 'contacts', 'eligibility', email, audienceId)).toMatchObject({
      exit: 0,
      out: `${email} is eligible.\n`,
    })
    expect((await cli('editor', 'contacts', 'unsubscribe', email, audienceId)).exit).toBe(0)
    expect((await cli('analyst', 'contacts', 'eligibility', email, audienceId)).out).toContain('consent_withdrawn')
  })

  test('a refusal shows the message, the reason and the reference; as JSON for programs', async () => {
    expect(await cli('analyst', 'contacts', 'add', 'a@example.org', '--source', 'test')).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/403 upsert_contacts; reference for support: [\w-]{8,}/),
    })
    const refused = await cli('editor', '--json', 'contacts', 'add', 'no', '--source', 'test')
    expect(json(refused.err)).toMatchObject({
      error: { status: 422, reason: 'invalid_email', correlation_id: expect.any(String) },
    })
    expect(refused).toMatchObject({ exit: 1, out: '' })
  })
})

test('audiences are created, listed and shown', async () => {
  const made = await cli('editor', 'audiences', 'create', 'cli-news', '--name', 'CLI', '--purpose', 'tests', '--json')
  const { audience: found } = json(made.out) as { audience: { id: string } }
  expect((await cli('analyst', 'audiences', 'list')).out).toMatch(new RegExp(`^${found.id} +cli-news +CLI$`, 'm'))
  expect((await cli('analyst', 'audiences', 'show', found.id)).out).toMatch(/^active_member_count +0$/m)
  expect((await cli('editor', 'audiences', 'create', 'cli-news', '--name', 'CLI', '--purpose', 'tests')).exit).toBe(1)
  const dots = await cli('analyst', 'audiences', 'show', '..')
  expect([dots.exit, dots.err]).toEqual([2, 'audience_id cannot be ...\n'])
})

test('sources are created and listed, and their origins replaced', async () => {
  const made = await cli(
    'admin',
    'sources',
    'create',
    'cli-form',
    '--name',
    'Form',
    '--origin',
    'https://one.example',
    '--audience',
    audienceId,
  )
  expect(made).toMatchObject({ exit: 0, out: expect.stringMatching(/^allowed_origins +https:\/\/one\.example$/m) })
  expect(
    (await cli('admin', 'sources', 'origins', 'cli-form', 'https://two.example', 'https://three.example')).exit,
  ).toBe(0)
  expect((await cli('admin', 'sources', 'list')).out).toMatch(
    /^cli-form +active .*https:\/\/two\.example, https:\/\/three\.example$/m,
  )
  expect((await cli('editor', 'sources', 'list')).exit).toBe(1)
})

test('a domain is verified, and one that is not ready is 5', async () => {
  const [known] = await ready.gateway.stage.query<{ id: string }>('select id from sending.sending_domains')
  expect(await cli('admin', 'domain', 'verify', known!.id)).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/^is_ready +true$/m),
  })
  const added = await cli('admin', 'domain', 'add', 'pending.acme.test', '--json')
  const { sending_domain: pending } = json(added.out) as { sending_domain: { id: string } }
  expect((await cli('admin', 'domain', 'verify', pending.id)).exit).toBe(5)
  expect((await cli('admin', 'domain', 'add', 'unknown.example')).exit).toBe(1)
})

describe('campaigns', () => {
  const draft = () => {
    const ids = ['--audience', audienceId, '--sender', ready.senderId, '--content', ready.contentVersionId]
    return cli('editor', 'campaign', 'draft', '--name', 'November', ...ids, '--json')
  }
  const idOf = (text: string, of: string) => (json(text)[of] as { id: string }).id

  test('are drafted, scheduled once for a moment, watched, paused, resumed and taken back', async () => {
    const campaign = idOf((await draft()).out, 'campaign')
    const at = new Date(Date.now() + 7_200_000).toISOString()
    const schedule = ['campaign', 'schedule', campaign, '--at', at]
    expect(await cli('editor', ...schedule)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--confirm "SEND TO REAL PEOPLE"'),
    })
    expect((await cli('editor', ...schedule, '--confirm', 'yes')).exit).toBe(2)
    const confirmed = [...schedule, '--confirm', 'SEND TO REAL PEOPLE', '--json']
    const run = idOf((await cli('editor', ...confirmed)).out, 'campaign_run')
    expect(idOf((await cli('editor', ...confirmed)).out, 'campaign_run')).toBe(run)
    const watched = await cli('analyst', 'campaign', 'watch', run, '--every', '0.05', '--timeout', '0.2')
    expect(watched).toMatchObject({ exit: 4, err: expect.stringMatching(/^[█░]+ +\d+ % {2}\d+ of \d+ {2}scheduled/m) })
    for (const [action, state] of [
      ['pause', 'paused'],
      ['resume', 'scheduled'],
    ] as const)
      expect((await cli('admin', 'campaign', action, run)).out).toMatch(new RegExp(`^state +${state}$`, 'm'))
    expect((await cli('editor', 'campaign', 'unschedule', run)).exit).toBe(0)
    expect((await cli('editor', 'campaign', 'unschedule', run)).exit).toBe(1)
    expect(await cli('analyst', 'campaign', 'watch', run)).toMatchObject({
      exit: 5,
      out: expect.stringMatching(/^state +unscheduled$/m),
    })
    expect((await cli('analyst', 'campaign', 'report', run)).exit).toBe(0)
  })

  test('are cancelled, and a moment without a time zone is 2', async () => {
    const campaign = idOf((await draft()).out, 'campaign')
    const confirm = ['--confirm', 'SEND TO REAL PEOPLE', '--json']
    expect(
      (await cli('editor', 'campaign', 'schedule', campaign, '--at', '2030-01-01T10:00:00', ...confirm)).exit,
    ).toBe(2)
    const run = idOf(
      (await cli('editor', 'campaign', 'schedule', campaign, '--at', '+1d', ...confirm)).out,
      'campaign_run',
    )
    expect((await cli('editor', 'campaign', 'cancel', run)).exit).toBe(1)
    expect((await cli('admin', 'campaign', 'cancel', run)).out).toMatch(/^state +cancelled$/m)
  })
})

describe('doctor', () => {
  test('says what is right, and what to do about the rest', async () => {
    // The gateway reads its gates every five seconds.
    const found = await until(
      async () => {
        const { out } = await cli('admin', 'doctor')
        return out.includes('production gate: open') && out
      },
      { everyMs: 1_000, what: 'the open gate' },
    )
    expect(found).toMatch(/^ok {4}service: [\s\S]*^ok {4}version: [\s\S]*^ok {4}token: valid, of admin$/m)
  })

  test('a deployment that does not answer, no token, and a wrong one are 5', async () => {
    expect(await cli('owner', '--url', 'http://127.0.0.1:9', 'doctor')).toMatchObject({
      exit: 5,
      out: expect.stringContaining('FAIL  service'),
    })
    expect(await cli(null, 'doctor')).toMatchObject({
      exit: 5,
      out: expect.stringContaining('FAIL  token: there is none'),
    })
    const expired = await cli('expired', '--json', 'doctor')
    expect(expired.exit).toBe(5)
    expect(json(expired.out)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ check: 'token', status: 'fail' })]),
    })
  })
})
