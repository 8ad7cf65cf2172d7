// This file has over 300 lines because its tests share one started set of services.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { addSource } from './add-source.ts'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, isInSight, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addDeadLetter, setGate, openSettings, openWorld, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  await setGate(stage.services, 'production_sending_enabled', true)
  await setGate(stage.services, 'test_sends_enabled', true)
})
afterAll(async () => {
  await stage?.close()
})

/** What the provider has registered before. */
const setWebhooks = (webhooks: Record<string, string[]>) =>
  fetch(`${stage.services.providerUrl}/sim/domains/mail.acme.test`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ webhooks }),
  })

describe('the pages of the set-up', () => {
  inBrowser('lead from a connection to a workspace that may send, and turn sending off', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Sending', exact: true }).click()
    await page.getByRole('button', { name: 'Add a connection' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Mail')
    await act(page, 'Add it')
    const connection = page.getByRole('row', { name: /^Mail/ })
    await connection.getByRole('button', { name: 'Check' }).click()
    await act(page, 'Check')
    await connection.getByRole('button', { name: 'Activate' }).click()
    await page.getByLabel(/^Type ENABLE TEST CONNECTION/).fill('ENABLE TEST CONNECTION')
    await act(page, 'Activate the connection')

    await page.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('dialog').getByLabel('Domain').fill('mail.acme.test')
    await choose(page, 'Connection', 'Mail')
    await act(page, 'Add it')
    await page.getByRole('heading', { level: 1, name: 'mail.acme.test' }).waitFor()
    await page
      .getByRole('table', { name: 'Records' })
      .getByRole('button', { name: /^Copy the value/ })
      .first()
      .waitFor()
    const policy = page.getByRole('row').filter({ hasText: '_dmarc.mail.acme.test' })
    await policy.getByRole('button', { name: 'Copy the value of _dmarc.mail.acme.test' }).waitFor()
    await page.getByRole('button', { name: 'Quota' }).click()
    const review = page.getByRole('dialog')
    expect(await review.getByRole('combobox', { name: 'Quota' }).inputValue()).toBe('')
    expect(await review.getByRole('button', { name: 'Record it' }).isDisabled()).toBe(true)
    await choose(page, 'Quota', /^Enough/)
    await act(page, 'Record it')
    const register = async () => {
      await page.getByRole('button', { name: 'Register webhooks' }).click()
      await act(page, 'Register them')
    }
    const clicked = ['a', 'b', 'c'].map((name) => `https://${name}.example/hook`)
    await setWebhooks({ clicked })
    await register()
    const refused = page.getByRole('status').filter({ hasText: '1 webhook refused' })
    await refused.getByText(/^Clicked:/).waitFor()
    await setWebhooks({ clicked: clicked.slice(1) })
    await register()
    await refused.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Check again' }).click()
    await act(page, 'Check now')
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.getByRole('article', { name: 'SPF' }).getByText('Verified').waitFor()
    await page.getByRole('article', { name: 'MX' }).getByRole('button', { name: 'Copy what was found: MX' }).waitFor()
    const copies = page.getByRole('button', { name: /^Copy what was expected: / })
    const copied = await copies.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    expect(copied).toContain('Copy what was expected: DKIM')
    expect(copied).not.toContain('Copy what was expected: MX')
    expect(await policy.count()).toBe(0)

    await page.getByRole('link', { name: 'Sending', exact: true }).click()
    await page.getByRole('button', { name: 'Add a sender' }).click()
    await choose(page, 'Domain', 'mail.acme.test')
    await page.getByLabel('Name that recipients see').fill('Acme')
    await page.getByLabel('From address').fill('news@mail.acme.test')
    await page.getByLabel('Address for replies').fill('help@mail.acme.test')
    await act(page, 'Add it')
    await page.getByRole('row', { name: /^Acme/ }).getByRole('button', { name: 'Enable' }).click()
    await page.getByLabel(/^Type ACTIVATE/).fill('ACTIVATE PRODUCTION SENDING')
    await act(page, 'Enable the sender')
    await page.getByRole('button', { name: 'Activate sending' }).click()
    await page.getByLabel(/^Type ACTIVATE/).fill('ACTIVATE PRODUCTION SENDING')
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Activate sending' }).isDisabled()).toBe(true)
    await page.getByLabel('I reviewed the quota').check()
    await setGate(stage.services, 'production_sending_enabled', false)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Activate sending' }).click()
    await dialog.getByText('The platform gate for production sending is closed.').waitFor()
    expect(await dialog.getByRole('link', { name: 'Gates' }).getAttribute('href')).toBe('/console/platform/gates')
    await setGate(stage.services, 'production_sending_enabled', true)
    await act(page, 'Activate sending')
    await page.getByText('This workspace may send').waitFor()
    await page.getByRole('button', { name: 'Turn sending off' }).click()
    await act(page, 'Turn it off')
    await page.getByText('Nothing is sent from this workspace').waitFor()
  })

  inBrowser('send a test, rehearse, and run the preflight', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Test and rehearse' }).click()
    for (const [open, phrase, send] of [
      ['Send a test', 'SEND TEST EMAIL', 'Send it'],
      ['Rehearse', 'RUN CONTROLLED REHEARSAL', 'Run it'],
    ] as const) {
      await page.getByRole('button', { name: open, exact: true }).click()
      await choose(page, 'Sender', /^Acme/)
      await choose(page, 'Template', 'Monthly newsletter')
      await page.getByLabel('Address', { exact: false }).last().fill('ada@people.example.com')
      await page.getByLabel(`Type ${phrase} to confirm`).fill(phrase)
      await act(page, send)
    }
    await page
      .getByRole('table', { name: 'Test sends' })
      .getByRole('row', { name: /^ada@people/ })
      .first()
      .waitFor()
    await page
      .getByRole('table', { name: 'Rehearsals' })
      .getByRole('row', { name: /^ada@people.* Verified/ })
      .waitFor()
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await act(page, 'Run it')
    await page.getByText('Not ready for a launch').waitFor()
    await page.getByRole('row', { name: /^Sending of the workspace Blocked/ }).waitFor()
    const tested = page.getByRole('cell').filter({ hasText: 'The provider accepted the newest test send, of' })
    await tested.locator('time').waitFor()
  })

  inBrowser('compare a preflight with the one before it, in the history of preflights', async () => {
    const page = await stage.signedIn('owner')
    const runChecks = async () => {
      await page.getByRole('button', { name: 'Run the checks' }).click()
      await act(page, 'Run it')
    }
    await page.goto(`${stage.services.baseUrl}/console/w/acme/product/testing`)
    const history = page.getByRole('region', { name: 'History of preflights' })
    await history.getByText('No report yet').waitFor()
    await runChecks()
    await history.getByRole('row', { name: /owner Not ready \d+ blocked, .* the first report/ }).waitFor()
    await setGate(stage.services, 'production_sending_enabled', false)
    await runChecks()
    await setGate(stage.services, 'production_sending_enabled', true)
    const changed = history.getByRole('row', { name: /owner Not ready .* 1 check [0-9a-f]{8}…/ })
    await changed.getByRole('button', { name: /^See the preflight of/ }).click()
    const report = page.getByRole('dialog', { name: 'Preflight' })
    const changes = report.getByRole('list', { name: 'Changed checks' })
    expect(await changes.getByRole('listitem').allTextContents()).toEqual(['Production switch: passed → blocked'])
    await report
      .getByRole('row', { name: /^Production switch Blocked The platform gate for production sending is closed\. Ask/ })
      .waitFor()
    // The address has the open report, so that it can be sent to a colleague.
    await page.reload()
    await report.getByRole('row', { name: /^Production switch Blocked/ }).waitFor()
    await report.getByRole('button', { name: 'Close' }).click()
    await report.waitFor({ state: 'detached' })
  })

  inBrowser('rehearse the capacity, and show how long a run takes and that nothing is left', async () => {
    await setGate(stage.services, 'synthetic_rehearsals_enabled', true)
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Test and rehearse' }).click()
    const rehearsal = page.getByRole('region', { name: 'Rehearsal of capacity' })
    await rehearsal.getByLabel('Recipients').fill('100')
    await rehearsal.getByRole('button', { name: 'Rehearse the capacity' }).click()
    await page.getByLabel(/^Type RUN 100/).fill('RUN 100 SYNTHETIC REHEARSAL')
    await act(page, 'Run it')
    await rehearsal.getByText(/^A run to 90 recipients takes about/).waitFor()
    await rehearsal.getByText('A rough estimate from the rehearsed stages alone').waitFor()
    const showed = rehearsal.getByRole('list', { name: 'What the rehearsal showed' })
    expect(await showed.getByRole('img', { name: 'Holds' }).count()).toBe(4)
    await showed.getByText('0 rows left').waitFor()
    const stages = rehearsal.getByRole('table', { name: 'Stages' })
    expect(await stages.getByRole('row').count()).toBe(9)
    await stages.getByRole('row', { name: /^Decide who may be mailed [\d,]+ recipients each second/ }).waitFor()
  })

  inBrowser('show a credential once and its issuer, rotate, revoke and issue it, and suspend the source', async () => {
    const page = await stage.signedIn('admin')
    const first = await addSource(page, 'Website footer', 'Weekly news')
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message())
      await (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss())
    })
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    expect(asked).toEqual(['This page shows a secret that is shown only this time. Leave this page, and lose it?'])
    expect(await page.getByText(first).count()).toBe(1)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(first)
    await page.getByRole('link', { name: 'Website footer' }).click()
    const about = page.getByRole('region', { name: 'About' })
    const issued = about.getByText(/^Issued .+, by admin$/)
    const since = () => issued.locator('time').getAttribute('datetime')
    await issued.waitFor()
    const before = (await since())!
    await page.getByRole('button', { name: 'Rotate the credential' }).click()
    await act(page, 'Rotate it')
    expect(await page.getByText(/^lgs_/).textContent()).not.toBe(first)
    await about.locator(`time:not([datetime="${before}"])`).waitFor()
    expect(Date.parse((await since())!)).toBeGreaterThan(Date.parse(before))
    await page.reload()
    await issued.waitFor()
    expect(await page.content()).not.toContain('lgs_')
    await page.getByRole('button', { name: 'Revoke the credential' }).click()
    await act(page, 'Revoke it')
    await about.getByText('None: its sign-ups are accepted only with a wallet grant').waitFor()
    expect(await page.getByRole('button', { name: /^(Rotate|Revoke) the credential$/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Issue a credential' }).click()
    await act(page, 'Issue it')
    await page.getByText(/^lgs_/).waitFor()
    await issued.waitFor()
    await page.getByRole('button', { name: 'Revoke the credential' }).waitFor()
    await page.route('**/credential', (route) => route.fulfill({ status: 500 }))
    await page.reload()
    await about.getByText('Could not be read').waitFor()
    await page.getByRole('button', { name: 'Revoke the credential' }).waitFor()
    await page.unroute('**/credential')
    await page.getByRole('button', { name: 'Suspend' }).click()
    await act(page, 'Suspend it')
    await page.getByText('Suspended', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await act(page, 'Revoke the source')
    await page.getByText('Revoked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    await act(page, 'Activate it')
    await page.getByText('Active', { exact: true }).waitFor()
  })

  inBrowser('add a source for all audiences', async () => {
    const page = await stage.signedIn('admin')
    await page.getByRole('link', { name: 'Sources' }).click()
    await page.getByRole('button', { name: 'Add a source' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Shop')
    await page.getByRole('combobox', { name: 'Allowed origins' }).fill('https://shop.acme.test')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('All audiences').check()
    await act(page, 'Add it')
    await page.getByText(/^lgs_/).waitFor()
    await page.getByRole('row', { name: /^Shop Active all / }).waitFor()
  })

  inBrowser('ask for a confirmation of sign-ups by an email, and accept them at once again', async () => {
    const { email_template } = await world.owner.ok<{ email_template: { id: string } }>(
      'POST',
      `${workspace}/email-templates`,
      { name: 'Please confirm', slug: 'please-confirm' },
    )
    await world.owner.ok('POST', `${workspace}/email-templates/${email_template.id}/versions`, {
      subject: 'Is this your address?',
      html: '<p>Hi <a href="{{ confirmation_url }}">confirm</a></p>',
    })
    const page = await stage.signedIn('admin')
    await page.getByRole('link', { name: 'Sources' }).click()
    await page.getByRole('link', { name: 'Website footer' }).click()
    const confirmation = page.getByRole('region', { name: 'Confirmation by email' })
    await confirmation.getByText(/^Off:/).waitFor()
    await confirmation.getByRole('button', { name: 'Ask for a confirmation' }).click()
    await page.getByText('within 7 days').waitFor()
    await choose(page, 'Sender', /^Acme/)
    await choose(page, 'Template', 'Please confirm')
    await act(page, 'Ask for it')
    await confirmation.getByRole('link', { name: 'Is this your address?' }).waitFor()
    await confirmation.getByText('from Acme <news@mail.acme.test>').waitFor()
    await confirmation.getByRole('button', { name: 'Accept sign-ups at once' }).click()
    await act(page, 'Accept them at once')
    await confirmation.getByText(/^Off:/).waitFor()
  })

  inBrowser('edit a connection, a domain and a sender, and delete only what nothing uses', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Sending', exact: true }).click()
    const edit = async (row: string | RegExp, label: string, value: string) => {
      await page.getByRole('row', { name: row }).getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('dialog').getByLabel(label, { exact: false }).first().fill(value)
      await act(page, 'Save')
    }
    await edit(/^Acme/, 'Name that recipients see', 'Acme news')
    await page.getByRole('row', { name: /^Acme news/ }).waitFor()
    await edit(/^Mail/, 'Name', 'Main mail')
    await page.getByRole('row', { name: /^Main mail/ }).waitFor()

    await page.getByRole('button', { name: 'Add a connection' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Spare')
    await act(page, 'Add it')
    const spare = page.getByRole('row', { name: /^Spare/ })
    await spare.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the connection')
    await spare.waitFor({ state: 'detached' })

    await page.getByRole('table', { name: 'Sending domains' }).getByRole('link', { name: 'mail.acme.test' }).click()
    await page.getByRole('heading', { level: 1, name: 'mail.acme.test' }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Notes').fill('The main one')
    await act(page, 'Save')
    await page.getByText('The main one').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the domain' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor() // it has a sender
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Sending', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Sending' }).waitFor()
    await page.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('dialog').getByLabel('Domain').fill('pending.acme.test')
    await act(page, 'Add it')
    await page.getByRole('heading', { level: 1, name: 'pending.acme.test' }).waitFor()
    await page.getByRole('button', { name: 'Connection', exact: true }).click()
    await choose(page, 'Connection', 'Main mail')
    await page.getByLabel('DKIM selector').fill('mail')
    await act(page, 'Connect it')
    await page.getByRole('region', { name: 'Readiness' }).getByText('Main mail').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the domain')
    await page.getByRole('heading', { level: 1, name: 'Sending' }).waitFor()
    const domains = page.getByRole('table', { name: 'Sending domains' })
    await domains.getByRole('link', { name: 'mail.acme.test' }).waitFor()
    expect(await domains.getByRole('link', { name: 'pending.acme.test' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Add a sender' }).click()
    await choose(page, 'Domain', 'mail.acme.test')
    await page.getByLabel('Name that recipients see').fill('Spare')
    await page.getByLabel('From address').fill('spare@mail.acme.test')
    await page.getByLabel('Address for replies').fill('help@mail.acme.test')
    await act(page, 'Add it')
    const sender = page.getByRole('row', { name: /^Spare/ })
    await sender.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the sender')
    await sender.waitFor({ state: 'detached' })
  })

  inBrowser('add a member, change the role, and remove the member', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Team' }).click()
    await page.getByRole('button', { name: 'Add a member' }).click()
    await page.getByLabel('Wallet user id').fill('newcomer')
    await act(page, 'Add the member')
    const member = page.getByRole('row', { name: /^newcomer/ })
    await member.getByRole('button', { name: 'Role' }).click()
    await choose(page, 'Role', 'Editor')
    await act(page, 'Change the role')
    await member.getByText('Editor').waitFor()
    await member.getByRole('button', { name: 'Remove' }).click()
    await act(page, 'Remove the member')
    await member.waitFor({ state: 'detached' })

    const self = page.getByRole('row', { name: /^owner/ })
    expect(await self.getByRole('button', { name: 'Remove' }).count()).toBe(0)
    await self.getByRole('button', { name: 'Leave' }).click()
    const leave = page.getByRole('dialog', { name: 'Leave acme/newsletter?' })
    expect(await leave.getByRole('listitem').first().textContent()).toMatch(/^You lose access to acme\/newsletter/)
    expect(await leave.getByRole('button', { name: 'Leave the workspace' }).isDisabled()).toBe(true)
    await leave.getByLabel('Type acme/newsletter to confirm').fill('acme/newsletter')
    expect(await leave.getByRole('button', { name: 'Leave the workspace' }).isEnabled()).toBe(true)
  })

  inBrowser('find who did it in the audit log', async () => {
    const page = await stage.signedIn('platform', { timezoneId: 'America/New_York' })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('combobox', { name: 'Action' }).fill('contact_unsub')
    await page.getByRole('option', { name: 'Contact unsubscribed contact_unsubscribed' }).waitFor()
    await page.getByRole('combobox', { name: 'Action' }).fill('unsubscribed')
    await page.getByRole('option', { name: /^Contact unsubscribed/ }).click()
    await page.waitForURL('**/audit-log?action=contact_unsubscribed')
    await page.getByRole('button', { name: 'See Contact unsubscribed' }).click()
    await page.getByRole('dialog').getByText('owner (human)').waitFor()
    const link = new URL(page.url())
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('searchbox', { name: 'Workspace' }).fill('acme/newsletter')
    await page.getByLabel('Before').fill('2026-01-01T00:00')
    await page.getByText('No entry matches').waitFor()
    await page.getByLabel('Before').fill('')
    await page.getByLabel('From').fill('2026-01-01T00:00')
    await page.getByRole('button', { name: 'See Contact unsubscribed' }).waitFor()
    expect(page.url()).toContain('since=20')
    await page.getByLabel('From (America/New_York)').fill('2026-01-01T00:00')
    await page.waitForURL('**since=2026-01-01T05%3A00**')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('u')
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe('2026-01-01T05:00')
    await page.getByLabel('From (UTC)').fill('2026-01-01T07:30')
    await page.waitForURL('**since=2026-01-01T07%3A30**')
    const file = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as JSON Lines' }).click()
    expect(await readFile(await (await file).path(), 'utf8')).toContain('"action":"contact_unsubscribed"')
    // The link still finds the entry when it is not among the newest.
    link.searchParams.set('action', 'nothing_like_this')
    await page.goto(link.href)
    await page.getByRole('dialog').getByText('owner (human)').waitFor()
    await page.getByText('No entry matches').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Dead letters' }).click()
    await page.getByText('Every event was processed').waitFor()
  })

  inBrowser('show an entry of the audit log with its button on a telephone', async () => {
    const page = await stage.signedIn('platform', {
      at: '/platform/audit-log?action=contact_unsubscribed',
      viewport: { width: 375, height: 800 },
    })
    const see = page.getByRole('button', { name: 'See Contact unsubscribed' }).first()
    await see.waitFor()
    expect(await isInSight(page, see)).toBe(true)
    expect(await overflowOf(page)).toBe(0)
    // The role is shortened, and neither the gate nor the user.
    const shortened = await page.evaluate<string[]>(
      `Array.from(document.querySelectorAll('header button *'))
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth).map(({ textContent }) => textContent)`,
    )
    expect(new Set(shortened)).toEqual(new Set(['platform administrator']))
  })

  inBrowser('replay a dead letter until it is processed, and discard another with a reason', async () => {
    const { subjectId } = await addDeadLetter(stage.services, 'campaigns', 'thing_lost')
    const { eventId } = await addDeadLetter(stage.services, 'identity', 'thing_replayed')
    const page = await stage.signedIn('platform')
    await page.getByRole('link', { name: 'Dead letters' }).click()
    const lost = page.getByRole('row', { name: /to campaigns-delivery/ })
    await lost.getByText('no room for [address]').waitFor()
    await lost.getByRole('button', { name: 'See Audit recorded' }).click()
    const subject = page.getByRole('list', { name: 'What the event is about' }).getByRole('link')
    expect(await subject.getAttribute('href')).toBe(`/console/platform/audit-log?subject_id=${subjectId}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const replayed = page.getByRole('row', { name: /to gateway/ })
    await replayed.getByRole('button', { name: 'Replay' }).click()
    await act(page, 'Replay it')
    await replayed.getByText('Replayed', { exact: true }).waitFor()
    await lost.getByRole('button', { name: 'Discard' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It is never processed').waitFor()
    expect(await dialog.getByRole('button', { name: 'Discard it' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Why is this right?').fill('The thing is gone')
    await act(page, 'Discard it')
    await lost.getByText('The thing is gone').waitFor()
    expect(await lost.getByRole('button').allInnerTexts()).not.toContain('Replay')

    await page.goto(`${stage.services.baseUrl}/console/platform/audit-log?action=thing_replayed`)
    await page.getByRole('button', { name: 'See Thing replayed' }).click()
    await page.getByRole('dialog').getByText(eventId).first().waitFor()
  })

  inBrowser('resolve a platform suppression with a reason', async () => {
    const { suppression_id: id } = await world.owner.ok<{ suppression_id: string }>(
      'POST',
      `${workspace}/contacts/${world.contacts['Grace']}/suppress`,
      { scope: 'platform', reason: 'legal', source: 'support' },
    )
    expect(id).toBeTruthy()
    const page = await stage.signedIn('platform')
    await page.getByRole('link', { name: 'Platform suppressions' }).click()
    await page.getByLabel('Whole address').fill('grace@people.example.com')
    const row = page.getByRole('row', { name: /Legal/ })
    await row.getByRole('button', { name: 'Resolve' }).click()
    await page.getByLabel('Why is this right?').fill('She asked for it in writing')
    await act(page, 'Resolve it')
    await row.getByText(/by platform/).waitFor()
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
