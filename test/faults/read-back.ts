import type { Api } from '@lettergate/demo/api'
import type { Stack } from '@lettergate/local/launcher/state'
import { callsAfter, providerStats } from '@lettergate/load/provider'
import type { Listed, Mailed } from './differences.ts'

/** Every message that the provider has accepted. Fails when the provider has deleted some of them. */
export async function readLedger(stack: Stack): Promise<Mailed[]> {
  const { recipients, stored } = await providerStats(stack)
  if (stored !== recipients)
    throw new Error(`the provider keeps ${stored} of ${recipients} messages: MAILPROVIDER_MESSAGES_MAX is too low`)
  const calls = await callsAfter(stack, -1, { withMessages: true })
  return calls.flatMap(({ messages = [] }) =>
    messages.map(({ to, variables, events }) => ({
      address: to,
      messageId: variables['message_id'] ?? 'without an id',
      events,
    })),
  )
}

/** The run's recipient list, as the console exports it. No cell of these columns has a comma or a quote in it here. */
export async function readList(browser: Api, runPathAtConsole: string): Promise<Listed[]> {
  const { status, text } = await browser.call('GET', `${runPathAtConsole}/recipients.csv`)
  if (status !== 200) throw new Error(`the recipient list answered ${status}: ${text}`)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  const columns = head!.split(',')
  const cell = (cells: readonly string[], name: string) => cells[columns.indexOf(name)]!
  return lines.map((line) => {
    const cells = line.split(',')
    return { address: cell(cells, 'email'), messageId: cell(cells, 'message_id'), state: cell(cells, 'state') }
  })
}

/** The run's report, its events as `events.<kind>`. */
export async function readReport(api: Api, runPath: string): Promise<Record<string, unknown>> {
  const { report } = await api.ok<{ report: Record<string, unknown> & { events: Record<string, number> } }>(
    'GET',
    `${runPath}/report`,
  )
  const events = Object.entries(report.events).map(([kind, count]) => [`events.${kind}`, count])
  return { ...report, ...Object.fromEntries(events) }
}
