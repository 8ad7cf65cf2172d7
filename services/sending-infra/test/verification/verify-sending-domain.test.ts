// Over 300 lines because a second file would start the same services again.
import type { JsonObject } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { baseUrl, faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

type Owner = ReturnType<SendingStage['owner']>
const verify = (ctx: Owner, domainId: string) => rig.sending.verifySendingDomain(ctx, { domainId })
const evidenceOf = (check: { evidence?: JsonObject } | undefined, name: string) =>
  check!.evidence![name] as Record<string, unknown>

/** The correct zone for the stand-in provider. A test can change it. */
const rightZone = (name: string) => [
  { type: 'TXT', name, value: 'v=spf1 include:mailgun.org ~all' },
  { type: 'TXT', name: `_dmarc.${name}`, value: 'v=DMARC1; p=none' },
]

describe('verifying a domain', () => {
  test('a domain with all states in order becomes ready, with evidence for every check', async () => {
    const ctx = rig.owner()
    const { id, name, connectionId } = await rig.readyDomain(ctx)
    const { sendingDomain, check } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({
      verificationState: 'verified',
      spfState: 'verified',
      dkimState: 'verified',
      dmarcState: 'verified',
      alignmentState: 'aligned',
      quotaState: 'approved',
      isReady: true,
    })
    expect(check!.isReady).toBe(true)
    expect(Object.keys(check!.evidence!).toSorted()).toEqual([
      'alignment',
      'dkim',
      'dmarc',
      'mx',
      'spf',
      'tracking',
      'verification',
      'webhooks',
    ])
    for (const evidence of Object.values(check!.evidence!)) {
      expect(evidence).toMatchObject({
        question: expect.any(String),
        server: expect.any(String),
        answer: expect.anything(),
        expected: expect.any(String),
        verdict: expect.stringMatching(/verified|aligned/),
      })
    }
    expect(evidenceOf(check, 'spf')).toMatchObject({
      question: `TXT ${name}`,
      server: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      answer: ['v=spf1 include:mailgun.org ~all'],
      also_asked: expect.arrayContaining([expect.objectContaining({ question: 'TXT mailgun.org' })]),
    })
    expect(evidenceOf(check, 'dkim')).toMatchObject({ question: `TXT k1._domainkey.${name}` })
    expect(evidenceOf(check, 'dkim')['answer']).toEqual([evidenceOf(check, 'dkim')['expected']])
    expect(evidenceOf(check, 'webhooks')).toMatchObject({
      expected: `${baseUrl}/webhooks/mailprovider/${connectionId}`,
    })
    const [row] = await rig.stage.query('select * from sending.domain_checks where id = $1', [check!.id])
    expect(row).toMatchObject({
      sending_domain_id: id,
      passed: true,
      is_ready: true,
      evidence: check!.evidence,
      requested_by: 'tester',
    })
  })

  test('tracking and MX are checked and reported, and do not affect readiness', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    const right = await verify(ctx, id)
    expect(evidenceOf(right.check, 'tracking')).toMatchObject({
      question: `CNAME email.${name}`,
      answer: ['mailgun.org'],
      verdict: 'verified',
    })
    expect(evidenceOf(right.check, 'mx')).toMatchObject({ question: `MX ${name}`, verdict: 'verified' })

    await rig.sending.updateSendingDomain(ctx, { domainId: id, trackingDomain: `click.${name}` })
    const dkim = (
      await rig.stage.query<{ value: string }>(
        `select r ->> 'value' as value from sending.sending_domains, jsonb_array_elements(provider_records) r where id = $1 and r ->> 'name' like '%_domainkey%'`,
        [id],
      )
    )[0]!.value
    await rig.sim('PUT', `/dns/${name}`, {
      records: [
        ...rightZone(name),
        { type: 'TXT', name: `k1._domainkey.${name}`, value: dkim },
        { type: 'CNAME', name: `click.${name}`, value: 'elsewhere.test' },
        { type: 'MX', name, value: '.', priority: 0 },
      ],
    })
    const wrong = await verify(ctx, id)
    expect(wrong.sendingDomain!.isReady).toBe(true)
    expect(evidenceOf(wrong.check, 'tracking')).toMatchObject({
      question: `CNAME click.${name}`,
      answer: ['elsewhere.test'],
      verdict: 'failed',
    })
    expect(evidenceOf(wrong.check, 'mx')).toMatchObject({ verdict: 'failed' })
  })

  test('a domain that the provider no longer knows is failed, with any DNS content', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    await rig.sim('DELETE', `/domains/${name}`)
    const { sendingDomain, check } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({
      verificationState: 'failed',
      spfState: 'verified',
      dkimState: 'verified',
      isReady: false,
    })
    expect(evidenceOf(check, 'verification')).toMatchObject({ detail: expect.stringMatching(/does not know/) })
    expect(evidenceOf(check, 'webhooks')).toMatchObject({ verdict: 'failed' })
    expect(await faultOf(rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id }))).toMatchObject({
      code: 'failed_precondition',
      reason: 'provider_not_found',
    })
  })

  test('without the webhooks or the quota it is not ready, with any DNS content', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const first = await verify(ctx, id)
    expect(first.sendingDomain).toMatchObject({ spfState: 'verified', isReady: false })
    expect(evidenceOf(first.check, 'webhooks')).toMatchObject({ verdict: 'failed' })
    const registered = await rig.sending.registerSendingDomainWebhooks(ctx, { domainId: id })
    expect(registered.sendingDomain!.isReady).toBe(false)
    const approved = await rig.sending.setSendingDomainReadiness(ctx, { domainId: id, quotaState: 'approved' })
    expect(approved.sendingDomain!.isReady).toBe(true)
  })

  test('a domain without DNS records fails in each state', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx, undefined, { state: 'unverified', dns: 'missing' })
    const { sendingDomain, check } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({
      verificationState: 'pending',
      spfState: 'failed',
      dkimState: 'failed',
      dmarcState: 'failed',
      alignmentState: 'aligned',
      isReady: false,
    })
    expect(evidenceOf(check, 'spf')).toMatchObject({
      answer: [],
      verdict: 'failed',
      detail: expect.stringMatching(/no SPF record/),
    })
  })

  test.each<[string, string, string, object[]]>([
    [
      'two SPF records',
      'spf',
      'spfState',
      [
        { type: 'TXT', name: '@', value: 'v=spf1 include:mailgun.org ~all' },
        { type: 'TXT', name: '@', value: 'v=spf1 -all' },
      ],
    ],
    ['an SPF record without the provider', 'spf', 'spfState', [{ type: 'TXT', name: '@', value: 'v=spf1 a -all' }]],
    [
      "somebody else's DKIM key",
      'dkim',
      'dkimState',
      [{ type: 'TXT', name: 'k1._domainkey', value: 'k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC' }],
    ],
    ['a DMARC record without a policy', 'dmarc', 'dmarcState', [{ type: 'TXT', name: '_dmarc', value: 'v=DMARC1' }]],
  ])('%s is failed', async (_, evidence, state, records) => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    await rig.sim('PUT', `/dns/${name}`, { records })
    const { sendingDomain, check } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({ [state]: 'failed', isReady: false })
    expect(evidenceOf(check, evidence)).toMatchObject({ verdict: 'failed', detail: expect.any(String) })
  })

  test("the published key must be the key of the provider's current selector", async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    await rig.sim('PUT', `/dns/${name}`, { records: rightZone(name) })
    const { sendingDomain } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({
      spfState: 'verified',
      dmarcState: 'verified',
      dkimState: 'failed',
      isReady: false,
    })
  })

  test('a domain that the provider disabled is failed, and is verified after the provider enables it', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    await rig.sim('PUT', `/domains/${name}`, { state: 'disabled' })
    expect((await verify(ctx, id)).sendingDomain).toMatchObject({ verificationState: 'failed', isReady: false })
    await rig.sim('PUT', `/domains/${name}`, { state: 'active' })
    expect((await verify(ctx, id)).sendingDomain).toMatchObject({ verificationState: 'verified', isReady: true })
  })

  test.each(['rate_limit', 'server_error', 'timeout', 'truncated'])(
    'a provider in trouble (%s) is a refusal that leaves everything as it was',
    async (mode) => {
      const ctx = rig.owner()
      const { id } = await rig.readyDomain(ctx)
      await rig.sim('PUT', '/faults', { mode })
      try {
        expect(await faultOf(verify(ctx, id))).toMatchObject({
          code: 'failed_precondition',
          reason: expect.stringMatching(/^provider_/),
        })
      } finally {
        await rig.sim('PUT', '/faults', { mode: 'none' })
      }
      const [row] = await rig.stage.query(
        'select is_ready, (select count(*)::int from sending.domain_checks c where c.sending_domain_id = d.id) as checks from sending.sending_domains d where id = $1',
        [id],
      )
      expect(row).toEqual({ is_ready: true, checks: 1 })
    },
  )

  test('many concurrent checks of one domain all answer, and each stores its evidence', async () => {
    const ctx = rig.owner()
    const { id } = await rig.readyDomain(ctx)
    const checks = await Promise.all(Array.from({ length: 8 }, () => verify(ctx, id)))
    expect(new Set(checks.map(({ check }) => check!.id)).size).toBe(8)
    const [row] = await rig.stage.query(
      'select is_ready, checks_begun::int as begun, check_applied::int as applied, (select count(*)::int from sending.domain_checks c where c.sending_domain_id = d.id) as kept from sending.sending_domains d where id = $1',
      [id],
    )
    expect(row).toEqual({ is_ready: true, begun: 9, applied: 9, kept: 9 })
  })

  test('an earlier check never overwrites the result of a later one', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.readyDomain(ctx)
    const callsBefore = Number((await rig.sim('GET', '/stats'))['calls'])
    // Less than the time after which a call of the provider is given up.
    await rig.sim('PUT', '/faults', { mode: 'none', answer_after_ms: 800 })
    const slow = verify(ctx, id)
    await until(async () => Number((await rig.sim('GET', '/stats'))['calls']) > callsBefore)
    await rig.sim('PUT', '/faults', { mode: 'none' })
    await rig.sim('PUT', `/domains/${name}`, { state: 'disabled' })
    const later = await verify(ctx, id)
    await rig.sim('PUT', `/domains/${name}`, { state: 'active' })
    const earlier = await slow
    expect(later.sendingDomain).toMatchObject({ verificationState: 'failed', isReady: false })
    expect(evidenceOf(earlier.check, 'verification')).toMatchObject({ verdict: 'verified' })
    const [row] = await rig.stage.query(
      'select is_ready, verification_state from sending.sending_domains where id = $1',
      [id],
    )
    expect(row).toEqual({ is_ready: false, verification_state: 'failed' })
  })

  test('hostile DNS answers are sanitised before they are stored and shown', async () => {
    const ctx = rig.owner()
    const { id, name } = await rig.domain(ctx)
    const records = [
      { type: 'TXT', name, value: `v=spf1 \u0000\u0007<script> include:mailgun.org ~all` },
      ...Array.from({ length: 60 }, (_, index) => ({ type: 'TXT', name, value: `${index} ${'x'.repeat(250)}` })),
      { type: 'TXT', name: `_dmarc.${name}`, value: `v=DMARC1; p=none; rua=mailto:${'y'.repeat(5_000)}@x.test` },
    ]
    await rig.sim('PUT', `/dns/${name}`, { records })
    const { sendingDomain, check } = await verify(ctx, id)
    expect(sendingDomain).toMatchObject({ spfState: 'failed', dmarcState: 'verified' })
    expect(evidenceOf(check, 'spf')).toMatchObject({
      detail: expect.stringMatching(/unknown term "\ufffd\ufffd<script>"/),
    })
    expect(JSON.stringify(check!.evidence).length).toBeLessThan(100_000)
  })

  test('every DNS query goes to the configured servers; without an answer nothing becomes verified', async () => {
    const silent = await sendingStage({ env: { DNS_SERVERS: '127.0.0.1:9', DNS_TIMEOUT_MS: '100', DNS_TRIES: '1' } })
    try {
      const ctx = silent.owner()
      const { id } = await silent.domain(ctx)
      const { sendingDomain, check } = await silent.sending.verifySendingDomain(ctx, { domainId: id })
      expect(sendingDomain).toMatchObject({
        spfState: 'pending',
        dkimState: 'pending',
        dmarcState: 'pending',
        isReady: false,
      })
      expect(evidenceOf(check, 'spf')).toMatchObject({
        server: '127.0.0.1:9',
        verdict: 'pending',
        answer: { no_answer: expect.any(String) },
      })
    } finally {
      await silent.close()
    }
  })
})
