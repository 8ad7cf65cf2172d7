import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './api.ts'
import { arrived, inboxOf } from './inbox.ts'
import { letter } from './letter.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

interface Rehearsal {
  id: string
  state: string
  reconciliation: { received: string[]; missing: string[]; duplicates: number; signature_failures: number }
}

/**
 * Before people get the letter, a colleague does: to an allowed address it goes, to no other, and a repeat sends nothing.
 * A rehearsal then proves that the provider's signed events find their way back.
 */
export async function tryTheLetter(scene: Scene, senderId: string): Promise<Row[]> {
  const { api, browser, workspace, stack, round, tell } = scene
  await browser.ok('PUT', '/console/api/platform/gates/test_sends_enabled', { enabled: true })
  const parts = { sender_identity_id: senderId, content_version_id: await storeLetter(scene) }
  const allowed = `colleague-${round}@demo.acme.test`
  const stranger = `somebody-${round}@elsewhere.test`
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
  const refused = await ask(stranger, randomUUID())
  const letters = await arrived(stack, allowed)
  tell(`${allowed} is on the allowlist, and the letter is in the inbox: “${letters[0]?.subject}”`)
  tell(`${stranger} is not: “${refused.text}”`)

  const { state, reconciliation } = await rehearse(scene, {
    ...parts,
    recipient_email: `rehearsal-${round}@demo.acme.test`,
  })
  tell(`a rehearsal became ${state}: the provider's ${reconciliation.received.join(' and ')} came back, signed`)
  return [
    { name: 'test send to the allowlist', actual: sent.status, expected: 200 },
    { name: 'the same key again', actual: repeated.status, expected: 200 },
    { name: 'letters in that inbox', actual: letters.length, expected: 1 },
    { name: 'test send to anybody else', actual: refused.status, expected: 422 },
    { name: 'letters in that inbox, too', actual: (await inboxOf(stack, stranger)).length, expected: 0 },
    { name: 'rehearsal', actual: state, expected: 'verified' },
    { name: 'expected events that came', actual: reconciliation.received.length, expected: 2 },
    { name: 'missing', actual: reconciliation.missing.length, expected: 0 },
    { name: 'duplicates', actual: reconciliation.duplicates, expected: 0 },
    { name: 'signature failures', actual: reconciliation.signature_failures, expected: 0 },
  ]
}

async function storeLetter({ api, workspace, round }: Scene): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: `Letter to try ${round}`, slug: `letter-to-try-${round}` },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    letter,
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
