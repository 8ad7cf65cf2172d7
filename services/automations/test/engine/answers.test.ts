import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { start } from '../../src/service.ts'
import { openRelay, type Relay } from '../relay.ts'
import { adjustScore, onSubscription, sequence, wait } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'

let rig: EmailRuntime
let contacts: Relay
let delivery: Relay
beforeAll(async () => {
  rig = await openEmailRuntime()
  const portOf = (target: string) => Number(target.split(':').at(-1))
  contacts = await openRelay(portOf(rig.targets.CONTACTS_CONSENT_TARGET))
  delivery = await openRelay(portOf(rig.targets.CAMPAIGNS_WORKER_TARGET))
  await rig.stage.boot('automations', start, loadConfig, {
    ...rig.targets,
    CONTACTS_CONSENT_TARGET: contacts.target,
    CAMPAIGNS_WORKER_TARGET: delivery.target,
    ROLE: 'worker',
    RPC_TIMEOUT_MS: '1000', // of calls to services that are cut off
  })
  // Later tests need connections that exist.
  const { automationId, isDone } = await entered([adjustScore(1), rig.emailNode()])
  await isDone()
  expect(await shown(automationId)).toEqual(['1-adjust_score applied', '2-send_email accepted', '3-end completed'])
})
afterEach(async () => {
  for (const relay of [contacts, delivery]) relay.restore()
  await rig.fault('none')
  await rig.endCooldown()
})
afterAll(async () => {
  await rig.close()
  await Promise.all([contacts.stop(), delivery.stop()])
})

/** Publishes an automation, and subscribes a new contact to its audience. */
async function entered(nodes: Parameters<typeof sequence>[1]) {
  const audienceId = await rig.audience()
  return enteredBy(audienceId, sequence(onSubscription(audienceId), nodes))
}
async function enteredBy(audienceId: string, definition: ReturnType<typeof sequence>) {
  const automationId = await rig.published(definition, audienceId)
  const address = `${newId()}@example.org`
  const contactId = await rig.subscriber(audienceId, address)
  return {
    automationId,
    contactId,
    address,
    isDone: async () => expect(await ended(automationId)).toEqual(['completed']),
    isFailed: async () => expect(await ended(automationId)).toEqual(['failed']),
  }
}
/** Retries steps without waiting for their times, until the only contact has ended. Answers how. */
async function ended(automationId: string): Promise<string[]> {
  return until(
    async () => {
      await rig.retryNow(automationId)
      const rows = await rig.stage.query<{ end_state: string }>(
        'select end_state from automations.enrollments where automation_id = $1 and end_state is not null',
        [automationId],
      )
      return rows.length > 0 && rows.map((row) => row.end_state)
    },
    { everyMs: 100, what: 'the end of an enrollment' },
  )
}
/** The steps of the only contact, each as its node, its outcome and its reasons. */
const shown = async (automationId: string) =>
  (await rig.stepsOf(automationId)).map(({ node_key: key, outcome, reasons }) => [key, outcome, ...reasons].join(' '))
const messagesTo = async (address: string) => (await rig.messagesTo(address)).length

describe('while contacts-consent is down', () => {
  test('an effect is due again, and happens once when the service is back', async () => {
    contacts.cut()
    const { automationId, contactId, isDone } = await entered([adjustScore(1), adjustScore(10)])
    await rig.postponed(automationId)
    expect(await shown(automationId)).toEqual([])
    contacts.restore()
    await isDone()
    expect(await shown(automationId)).toEqual(['1-adjust_score applied', '2-adjust_score applied', '3-end completed'])
    expect(await rig.scoreOf(contactId)).toBe(11)
  })

  test('a contact shows why its step waits, until it moves', async () => {
    contacts.cut()
    const { automationId, isDone } = await entered([adjustScore(1), wait(3_600)])
    await rig.postponed(automationId)
    expect(await rig.waitingOf(automationId)).toEqual([{ waiting_reason: 'contacts_unavailable', state: 'active' }])
    contacts.restore()
    await rig.retryNow(automationId)
    await until(async () => (await rig.waitingOf(automationId))[0]!.state === 'waiting', { what: 'the wait' })
    expect(await rig.waitingOf(automationId)).toEqual([{ waiting_reason: null, state: 'waiting' }])
    await rig.endWait(automationId)
    await isDone()
  })

  test('a decision is due again, and is made when the service is back', async () => {
    contacts.cut()
    const audienceId = await rig.audience()
    const edge = (branch: string, more: object = {}) => ({ from: 'which', to: 'end', branch, ...more })
    const { automationId, isDone } = await enteredBy(audienceId, {
      trigger: onSubscription(audienceId),
      start_node: 'which',
      nodes: [
        { key: 'which', type: 'decision', config: {} },
        { key: 'end', type: 'end', config: {} },
      ],
      edges: [edge('member', { condition: { audience_id: audienceId, operator: 'exists' } }), edge('default')],
    } as ReturnType<typeof sequence>)
    await rig.postponed(automationId)
    expect(await shown(automationId)).toEqual([])
    contacts.restore()
    await isDone()
    expect(await shown(automationId)).toEqual(['which decided', 'end completed'])
  })

  test('an effect whose answer was lost does not happen again', async () => {
    contacts.silence()
    const { automationId, contactId, isDone } = await entered([adjustScore(1)])
    await until(async () => (await rig.scoreOf(contactId)) === 1, { what: 'an effect without an answer' })
    contacts.cut()
    await rig.postponed(automationId)
    expect(await shown(automationId)).toEqual([])
    contacts.restore()
    await isDone()
    expect(await shown(automationId)).toEqual(['1-adjust_score applied', '2-end completed'])
    expect(await rig.scoreOf(contactId)).toBe(1)
  })
})

describe('while campaigns-delivery is down', () => {
  test('an email is due again, and is sent once when the service is back', async () => {
    delivery.cut()
    const { automationId, address, isDone } = await entered([rig.emailNode()])
    await rig.postponed(automationId)
    expect(await rig.waitingOf(automationId)).toMatchObject([{ waiting_reason: 'delivery_unavailable' }])
    expect(await shown(automationId)).toEqual([])
    expect(await messagesTo(address)).toBe(0)
    delivery.restore()
    await isDone()
    expect(await shown(automationId)).toEqual(['1-send_email accepted', '2-end completed'])
    expect(await messagesTo(address)).toBe(1)
  })

  test('an email whose answer was lost is not sent again', async () => {
    delivery.silence()
    const { automationId, address, isDone } = await entered([rig.emailNode()])
    await until(async () => (await messagesTo(address)) === 1, { what: 'an email without an answer' })
    delivery.cut()
    await rig.postponed(automationId)
    delivery.restore()
    await isDone()
    expect(await shown(automationId)).toEqual(['1-send_email accepted', '2-end completed'])
    expect(await messagesTo(address)).toBe(1)
  })
})

describe('an email', () => {
  test('that the provider refuses fails the enrollment with the reason', async () => {
    delivery.cut()
    const { automationId, contactId, address, isFailed } = await entered([rig.emailNode(), adjustScore(1)])
    await rig.postponed(automationId)
    // contacts-consent does not accept such an address; this one stands for any that only the provider refuses.
    await rig.stage.query(
      `update contacts.contacts set email = 'not an address', normalized_email = $2 where id = $1`,
      [contactId, `not an address ${newId()}`],
    )
    delivery.restore()
    await isFailed()
    expect(await shown(automationId)).toEqual(['1-send_email failed status_400'])
    expect(await rig.stepsOf(automationId)).toMatchObject([{ message_id: expect.any(String) }])
    const events = await rig.stage.query(
      `select v.event, v.reason from automations.enrollment_events v
         join automations.enrollments e on e.workspace_id = v.workspace_id and e.id = v.enrollment_id where e.automation_id = $1`,
      [automationId],
    )
    expect(events).toEqual([{ event: 'failed', reason: 'status_400' }])
    expect(await rig.scoreOf(contactId)).toBe(0)
    expect(await messagesTo(address)).toBe(0)
  })

  test.each([
    ['server_error', 'does not have it', ['unknown'], 0],
    ['timeout', 'does not have it', ['unknown'], 0],
    // An event of the provider may settle the message before the call ends.
    ['accept_then_timeout', 'has it once', ['unknown', 'accepted'], 1],
  ] as const)(
    'without a certain answer (%s) is not repeated: the contact moves on, and the provider %s',
    async (mode, _, outcomes, messages) => {
      await rig.fault(mode)
      const { automationId, contactId, address, isDone } = await entered([rig.emailNode(), adjustScore(1)])
      await isDone()
      const [sent, ...others] = await rig.stepsOf(automationId)
      expect(sent!.message_id).toEqual(expect.any(String))
      expect(outcomes).toContain(sent!.outcome)
      expect(others.map(({ outcome }) => outcome)).toEqual(['applied', 'completed'])
      expect(await rig.scoreOf(contactId)).toBe(1)
      expect(await messagesTo(address)).toBe(messages)
    },
  )

  test('to a contact who left the audience is skipped with the reason, and the contact moves on', async () => {
    const audienceId = await rig.audience()
    const leave = { type: 'remove_audience', config: { audience_id: audienceId } }
    const nodes = [leave, rig.emailNode(), adjustScore(1)]
    const { automationId, contactId, address, isDone } = await enteredBy(
      audienceId,
      sequence(onSubscription(audienceId), nodes),
    )
    await isDone()
    expect(await shown(automationId)).toEqual([
      '1-remove_audience applied',
      '2-send_email skipped not_subscribed',
      '3-adjust_score applied',
      '4-end completed',
    ])
    expect(await rig.scoreOf(contactId)).toBe(1)
    expect(await messagesTo(address)).toBe(0)
  })

  test('whose sender is disabled waits, and is skipped with every reason when the contact is not eligible at its time', async () => {
    await rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false')
    // The delivery worker knows about senders for some seconds.
    await until(
      async () => {
        const { email } = await rig.person('Probe')
        return (await rig.send([email]))[0]!.reasons[0] === 'sender_identity'
      },
      { what: 'the delivery worker to hold emails of the sender' },
    )
    const waits = await entered([rig.emailNode()])
    const goes = await entered([rig.emailNode()])
    for (const { automationId } of [waits, goes]) {
      await rig.postponed(automationId)
      expect(await shown(automationId)).toEqual([])
    }
    await rig.contacts.suppressContact(rig.us, { contactId: goes.contactId, scope: 'workspace', reason: 'manual' })
    await rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true')
    for (const { isDone } of [waits, goes]) await isDone()
    expect(await shown(waits.automationId)).toEqual(['1-send_email accepted', '2-end completed'])
    expect(await shown(goes.automationId)).toEqual(['1-send_email skipped suppressed_workspace', '2-end completed'])
    expect(await messagesTo(waits.address)).toBe(1)
    expect(await messagesTo(goes.address)).toBe(0)
  })

  test('that the provider does not take now is put back, and is sent once after the cooldown', async () => {
    await rig.fault('rate_limit')
    const { automationId, address, isDone } = await entered([rig.emailNode()])
    await rig.postponed(automationId)
    expect(await shown(automationId)).toEqual([])
    await rig.fault('none')
    await rig.endCooldown()
    await isDone()
    expect(await shown(automationId)).toEqual(['1-send_email accepted', '2-end completed'])
    expect(await messagesTo(address)).toBe(1)
  })
})
