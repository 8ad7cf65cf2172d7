import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Person } from './add-people.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'
import { root, verifyConsent } from './verify-consent.ts'

interface Proof {
  signature: { fingerprint: string }
  events: { event: Record<string, unknown> }[]
}

/** subscribed, unsubscribed, submitted by the form while suppressed, resolved, subscribed again */
const expectedKinds = 'granted, withdrawn, granted, resolved, granted'

/** Exports the consent proof of one person as a file, and verifies it without the service: unchanged, and with one character changed. */
export async function proveConsent(
  { browser, atConsole, print }: Scene,
  person: Person,
  directory: string,
): Promise<ReportRow[]> {
  const answer = await browser.ok<{ proof: Proof }>('GET', `${atConsole}/contacts/${person.id}/consent-proof`)
  const { keys } = await browser.ok<{ keys: { fingerprint: string }[] }>('GET', `${atConsole}/consent-proof-keys`)
  const file = join(directory, 'consent-proof.json')
  writeFileSync(file, `${JSON.stringify(answer, null, 2)}\n`)
  const kinds = answer.proof.events.map(({ event }) => String(event['kind'])).join(', ')
  print(`consent events of a person who unsubscribed and subscribed again: ${kinds}`)

  const kept = await verifyConsent(file, keys[0]!.fingerprint)
  print(`make verify-consent FILE=${shown(file)}`)
  print(`  ${sentence(kept.output, 'INTACT')}`)

  const changed = join(directory, 'consent-proof-changed.json')
  // one character of the wording version
  writeFileSync(
    changed,
    readFileSync(file, 'utf8').replace('"wording_version": "2026-01"', '"wording_version": "2026-02"'),
  )
  const forged = await verifyConsent(changed, keys[0]!.fingerprint)
  print(`make verify-consent FILE=${shown(changed)}`)
  print(`  ${sentence(forged.output, 'NOT INTACT')}`)
  for (const line of forged.output.split('\n').filter((part) => part.startsWith('  - '))) print(line)
  const namesTheEvent = /Event 1 \(granted, .* was changed after it was sealed/.test(forged.output)
  return [
    { name: 'events in the proof', actual: answer.proof.events.length, expected: 5 },
    { name: 'in the order in which they happened', actual: kinds === expectedKinds, expected: true },
    { name: 'the exported file verifies', actual: kept.status, expected: 0 },
    { name: 'with one character changed it does not', actual: forged.status > 0, expected: true },
    { name: 'and the verifier names the event', actual: namesTheEvent, expected: true },
  ]
}

/** The path relative to the project's folder, when the file is in it. */
const shown = (file: string) => (relative(root, file).startsWith('..') ? file : relative(root, file))

const sentence = (output: string, beginning: string) =>
  output.split('\n').find((line) => line.startsWith(beginning)) ?? output.trim()
