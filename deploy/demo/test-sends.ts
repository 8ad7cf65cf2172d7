import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './api.ts'
import { arrived, inboxOf } from './inbox.ts'
import { newsletter } from './newsletter.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

interface Rehearsal {
  id: string
  state: string
  reconciliation: { received: string[]; missing: string[]; duplicates: number; signature_failures: number }
}

/**
 * Sends a test email to a colleague: only an allowed address receives it, and a repeated request sends nothing. A rehearsal
 * then proves that the signed events of the provider arrive.
 */
export async function tryTestSends(scene: Scene, senderId: string): Promise<ReportRow[]> {
  const { api, browser, workspace, stack, round, print } = scene
  await browser.ok('PUT', '/console/api/platform/gates/test_sends_enabled', { enabled: true })
  const parts = { sender_identity_id: senderId, content_version_id: await storeContent(scene) }
  const allowed = `colleague-${round}@demo.acme.test`
  const notAllowed = `somebody-${round}@elsewhere.test`
  const ask = (to: string, key: string): Promise<Answer> =>
    api.call(
      'POST',
      `${workspace}/test-sends`,
      { ...parts, recipient_email: to, confirmation: 'SEND TEST EMAIL' },
      { 'idempotency-key': key },
    )
  const key = randomUUID()
  const sent = await ask(allowed, key)
  const repeated = await ask(allowed, key)
  const refused = await ask(notAllowed, randomUUID())
  const messages = await arrived(stack, allowed)
  print(`${allowed} is on the allowlist, and the email is in the inbox: “${messages[0]?.subject}”`)
  print(`${notAllowed} is not: “${refused.text}”`)

  const { state, reconciliation } = await rehearse(scene, {
    ...parts,
    recipient_email: `rehearsal-${round}@demo.acme.test`,
  })
  print(`a rehearsal is ${state}: the signed events ${reconciliation.received.join(' and ')} of the provider arrived`)
  return [
    { name: 'test send to the allowlist', actual: sent.status, expected: 200 },
    { name: 'retry with the same key', actual: repeated.status, expected: 200 },
    { name: 'messages in the inbox', actual: messages.length, expected: 1 },
    { name: 'test send to another address', actual: refused.status, expected: 422 },
    { name: 'messages in the inbox of that address', actual: (await inboxOf(stack, notAllowed)).length, expected: 0 },
    { name: 'rehearsal', actual: state, expected: 'verified' },
    { name: 'expected events received', actual: reconciliation.received.length, expected: 2 },
    { name: 'missing', actual: reconciliation.missing.length, expected: 0 },
    { name: 'duplicates', actual: reconciliation.duplicates, expected: 0 },
    { name: 'signature failures', actual: reconciliation.signature_failures, expected: 0 },
  ]
}

async function storeContent({ api, workspace, round }: Scene): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Test content ${round}`, slug: `test-content-${round}` },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    newsletter,
  )
  return content.id
}

async function rehearse({ api, workspace }: Scene, request: object): Promise<Rehearsal> {
  const made = await api.ok<{ rehearsal: Rehearsal }>(
    'POST',
    `${workspace}/rehearsals`,
    { ...request, confirmation: 'RUN CONTROLLED REHEARSAL' },
    { 'idempotency-key': randomUUID() },
  )
  const end = Date.now() + 60_000
  for (let now = made.rehearsal; ; await sleep(250)) {
    if (!['pending', 'sent'].includes(now.state) || Date.now() > end) return now
    now = (await api.ok<{ rehearsal: Rehearsal }>('GET', `${workspace}/rehearsals/${now.id}`)).rehearsal
  }
}
