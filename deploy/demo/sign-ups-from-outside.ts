import { randomUUID } from 'node:crypto'
import type { Person } from './add-people.ts'
import { eachOf, openApi } from './api.ts'
import type { Scene } from './scene.ts'
import { signUp } from './sign-up.ts'
import type { ReportRow } from './table.ts'

interface Receipt {
  source_event_id: string
  contact_id: string
  status: string
}

const origin = 'https://www.acme.test'
const signUps = 25

/** A form of the website submits people, with a credential that can do nothing else. Returns the added people. */
export async function signUpsFromOutside(
  { browser, atConsole, workspace, stack, round, print }: Scene,
  audienceId: string,
  formerMember: Person,
): Promise<{ rows: ReportRow[]; people: Person[] }> {
  const slug = `website-${round}`
  const { credential } = await browser.ok<{ credential: string }>('POST', `${atConsole}/subscription-sources`, {
    slug,
    display_name: 'Form of the website',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  print(`source ${slug} was made at the console; its credential ${credential.slice(0, 8)}… is shown only once`)

  const form = openApi(stack.base_url, { authorization: `Bearer ${credential}` })
  const submit = (body: object, key: string = randomUUID()) =>
    form.call('POST', `${workspace}/subscription-sources/${slug}/events`, body, { 'idempotency-key': key })
  const events = Array.from({ length: signUps }, (_, index) =>
    signUp(audienceId, `robin.${index + 1}.r${round}@example.com`, origin),
  )
  const statuses = new Map<string, unknown>()
  await eachOf(events, 16, async (event) => {
    statuses.set(event.source_event_id, (await submit(event, event.source_event_id)).json['status'])
  })
  const replay = await submit(events[0]!, events[0]!.source_event_id)
  const foreign = await submit(signUp(audienceId, 'robin@example.com', 'https://elsewhere.test'))
  const again = await submit(signUp(audienceId, formerMember.email, origin))
  const elsewhere = await form.call('GET', `${workspace}/audiences`)
  await form.close()
  print(`a form on another site is refused: “${foreign.text}”`)
  print(
    `a person who unsubscribed is not subscribed again: ${String(again.json['status'])}, ${String(again.json['reason_class'])}`,
  )

  const { receipts } = await browser.ok<{ receipts: Receipt[] }>(
    'GET',
    `${atConsole}/subscription-sources/${slug}/receipts?limit=200`,
  )
  const contactOf = new Map(receipts.map((receipt) => [receipt.source_event_id, receipt.contact_id]))
  const people = events.map(({ source_event_id: id, contact }): Person => ({
    id: contactOf.get(id)!,
    email: contact.email,
    normalizedEmail: contact.email,
    locale: contact.locale,
    behaviour: 'delivered',
    isLegacy: false,
  }))
  const accepted = [...statuses.values()].filter((status) => status === 'accepted').length
  return {
    people,
    rows: [
      { name: 'sign-ups accepted', actual: accepted, expected: signUps },
      { name: 'a repeated submission', actual: replay.json['status'], expected: 'duplicate' },
      { name: 'sign-up from another site', actual: foreign.status, expected: 403 },
      { name: 'sign-up of a person who unsubscribed', actual: again.json['status'], expected: 'suppressed' },
      { name: 'receipts, one for each stored event', actual: receipts.length, expected: signUps + 1 },
      { name: 'the credential on another route', actual: elsewhere.status, expected: 401 },
    ],
  }
}
