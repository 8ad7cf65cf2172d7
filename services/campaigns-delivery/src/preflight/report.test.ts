import { describe, expect, test } from '@jest/globals'
import type { PreflightFacts } from './preflight-facts.ts'
import { reportOf } from './report.ts'

const now = new Date('2026-11-24T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const idle = { exists: true, pending: 0, underWay: 0, waiting: 0 }
const connection = {
  id: 'c1',
  connectionState: 'verified',
  isActive: true,
  webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
  hasCredential: true,
  isUsable: true,
}
const domain = {
  id: 'd1',
  domainName: 'mail.acme.test',
  verificationState: 'verified',
  spfState: 'verified',
  dkimState: 'verified',
  dmarcState: 'verified',
  alignmentState: 'aligned',
  quotaState: 'approved',
  isReady: true,
  webhooksRegistered: true,
  checkIsCurrent: true,
  providerConnectionId: 'c1',
}
const sender = { id: 's1', isEnabled: true, domainName: 'mail.acme.test', sendingDomainId: 'd1' }

/** A workspace for which every check passes. */
const ready = {
  now,
  gates: {
    ceilings: { production_sending_enabled: true },
    switches: { production_sending_enabled: true },
  },
  workspace: { isArchived: false, productionSendingEnabled: true },
  connections: [connection],
  domains: [domain],
  senders: [sender],
  signingKeys: new Set(['MAILPROVIDER_WEBHOOK_SIGNING_KEY']),
  oneClickUrl: 'https://mail.example.com/preferences/one-click/',
  draftsWithoutLink: [],
  testSend: { id: 't1', state: 'delivered', createdAt: daysAgo(1) },
  rehearsal: { id: 'r1', verifiedAt: daysAgo(20) },
  openImports: [],
  queue: { ...idle, waiting: 2 },
  providerEvents: idle,
  suppressions: [idle, idle],
} as unknown as PreflightFacts

const problems = (change: object) =>
  Object.fromEntries(
    reportOf({ ...ready, ...change } as PreflightFacts)
      .checks.filter(({ status }) => status !== 'pass')
      .map(({ code, status }) => [code, status]),
  )
const withDomain = (change: object) => ({ domains: [{ ...domain, ...change }] })

test('a report has the sixteen checks in order, each passed with nothing to do', () => {
  const report = reportOf(ready)
  expect(report).toMatchObject({ status: 'passed', summary: { passed: 16, blocked: 0, warnings: 0 } })
  expect(report.checks.map(({ code }) => code)).toEqual([
    'production_ceiling',
    'production_switch',
    'workspace_sending',
    'workspace_active',
    'provider_connection',
    'webhook_signing_key',
    'domain_readiness',
    'webhook_registration',
    'sender_enabled',
    'unsubscribe_link',
    'recent_test_send',
    'verified_rehearsal',
    'import_in_progress',
    'delivery_workers',
    'event_backlog',
    'suppression_feed',
  ])
  expect(new Set(report.checks.map(({ remediation }) => remediation))).toEqual(new Set(['Nothing to do.']))
})

describe('each problem is found', () => {
  test.each([
    ['the ceiling', { gates: { ceilings: {}, switches: { production_sending_enabled: true } } }, 'production_ceiling'],
    ['the switch', { gates: { ceilings: { production_sending_enabled: true }, switches: {} } }, 'production_switch'],
    ['sending', { workspace: { isArchived: false, productionSendingEnabled: false } }, 'workspace_sending'],
    ['the archive', { workspace: { isArchived: true, productionSendingEnabled: true } }, 'workspace_active'],
    ['a key that webhook-intake does not have', { signingKeys: new Set<string>() }, 'webhook_signing_key'],
    [
      'an active connection without a signing key',
      { connections: [connection, { ...connection, id: 'c2', webhookSigningEnvKey: undefined }] },
      'webhook_signing_key',
    ],
    ['a disabled sender', { senders: [{ ...sender, isEnabled: false }] }, 'sender_enabled'],
    ['an enabled sender of another domain', { senders: [{ ...sender, sendingDomainId: 'd2' }] }, 'sender_enabled'],
  ])('%s blocks', (_, change, code) => {
    expect(problems(change)).toEqual({ [code]: 'block' })
    expect(reportOf({ ...ready, ...change } as PreflightFacts).status).toBe('blocked')
  })

  test.each([
    ['verificationState', 'failed'],
    ['spfState', 'pending'],
    ['dkimState', 'failed'],
    ['dmarcState', 'not_checked'],
    ['alignmentState', 'misaligned'],
    ['quotaState', 'insufficient'],
  ])('a domain with %s %s blocks, and no sender can use it', (field, value) =>
    expect(problems(withDomain({ [field]: value, isReady: false }))).toEqual({
      domain_readiness: 'block',
      sender_enabled: 'block',
    }),
  )
  test('an old check of the domain counts as none', () =>
    expect(problems(withDomain({ checkIsCurrent: false }))).toEqual({
      domain_readiness: 'block',
      sender_enabled: 'block',
    }))
  test('a domain without webhooks', () =>
    expect(problems(withDomain({ webhooksRegistered: false, isReady: false }))).toEqual({
      webhook_registration: 'block',
      sender_enabled: 'block',
    }))
  test('a connection without its credential', () =>
    expect(problems({ connections: [{ ...connection, hasCredential: false, isUsable: false }] })).toEqual({
      provider_connection: 'block',
      sender_enabled: 'block',
    }))
  test('a workspace with nothing', () =>
    expect(problems({ connections: [], domains: [], senders: [], signingKeys: new Set<string>() })).toEqual({
      provider_connection: 'block',
      webhook_signing_key: 'block',
      domain_readiness: 'block',
      webhook_registration: 'block',
      sender_enabled: 'block',
    }))

  test.each([
    ['a link without HTTPS', { oneClickUrl: 'http://mail.example.com/' }, 'unsubscribe_link'],
    ['a draft without a link', { draftsWithoutLink: [{ id: 'k1' }] }, 'unsubscribe_link'],
    ['no test send', { testSend: undefined }, 'recent_test_send'],
    ['an old test send', { testSend: { id: 't', state: 'accepted', createdAt: daysAgo(8) } }, 'recent_test_send'],
    ['no rehearsal', { rehearsal: undefined }, 'verified_rehearsal'],
    ['an old rehearsal', { rehearsal: { id: 'r', verifiedAt: daysAgo(31) } }, 'verified_rehearsal'],
    ['an import', { openImports: [{ id: 'i1', status: 'applying' }] }, 'import_in_progress'],
    ['no worker', { queue: idle }, 'delivery_workers'],
    ['many provider events', { providerEvents: { ...idle, pending: 1_001 } }, 'event_backlog'],
    ['a consumer that was never made', { providerEvents: { ...idle, exists: false } }, 'event_backlog'],
    [
      'many suppressions',
      {
        suppressions: [
          { ...idle, pending: 60 },
          { ...idle, pending: 41 },
        ],
      },
      'suppression_feed',
    ],
  ])('%s warns and does not block', (_, change, code) => {
    expect(problems(change)).toEqual({ [code]: 'warn' })
    expect(reportOf({ ...ready, ...change } as PreflightFacts).status).toBe('passed')
  })
})

describe('a service that did not answer', () => {
  test.each([
    ['gates', { production_ceiling: 'block', production_switch: 'block' }],
    ['workspace', { workspace_sending: 'block', workspace_active: 'block' }],
    ['connections', { provider_connection: 'block', webhook_signing_key: 'block', sender_enabled: 'block' }],
    ['domains', { domain_readiness: 'block', webhook_registration: 'block', sender_enabled: 'block' }],
    ['senders', { sender_enabled: 'block' }],
    ['signingKeys', { webhook_signing_key: 'block' }],
    ['oneClickUrl', { unsubscribe_link: 'warn' }],
    ['openImports', { import_in_progress: 'warn' }],
    ['queue', { delivery_workers: 'warn' }],
    ['providerEvents', { event_backlog: 'warn' }],
    ['suppressions', { suppression_feed: 'warn' }],
  ])('without %s nothing passes that needs it', (fact, expected) => {
    expect(problems({ [fact]: undefined })).toEqual(expected)
    const { checks } = reportOf({ ...ready, [fact]: undefined } as PreflightFacts)
    for (const { detail, status } of checks.filter((check) => check.status !== 'pass'))
      expect([status, detail]).toEqual([status, expect.stringContaining('did not answer')])
  })
})
