import { randomBytes } from 'node:crypto'
import type { Domain } from './account.ts'
import type { Form } from './form.ts'
import type { MessageBatch, Mailbox } from './mailbox.ts'
import { compile, type Addressee } from './template.ts'

const recipientsMax = 1000

/** The refusal of a message; nothing of it is stored. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The data of a messages call besides its form. */
export interface MessagesCall {
  /** milliseconds since the epoch: when its first bytes arrived, before it was delayed or read */
  arrivedAt: number
  traceparent: string | undefined
}

/** Checks a messages call like the provider and stores one message for each recipient. Throws a Refusal. */
export function acceptMessage(mailbox: Mailbox, domain: Domain, form: Form, call: MessagesCall): MessageBatch {
  if (domain.state !== 'active') {
    throw new Refusal(
      403,
      `Domain ${domain.name} is not allowed to send: The domain is ${domain.state} and requires DNS configuration.`,
    )
  }
  const one = (name: string) => form.get(name)?.[0]
  const from = one('from')
  const html = one('html')
  const text = one('text')
  if (!from) throw new Refusal(400, 'from parameter is missing')
  if (html === undefined && text === undefined) {
    throw new Refusal(400, "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified")
  }

  const variablesByAddress = recipientVariables(one('recipient-variables'))
  const recipients = (['to', 'cc', 'bcc'] as const).flatMap((field) => addresses(form.get(field) ?? [], field))
  if (!form.get('to')?.some((value) => value.trim() !== '')) throw new Refusal(400, 'to parameter is missing')
  if (recipients.length > recipientsMax) throw new Refusal(400, `Too many recipients: the limit is ${recipientsMax}`)

  const prefixed = (prefix: string) =>
    [...form]
      .filter(([name]) => name.startsWith(prefix) && name.length > prefix.length)
      .map(([name, values]) => [name.slice(prefix.length), compile(values.at(-1) ?? '')] as const)
  const batch: MessageBatch = {
    sequence: mailbox.nextSequence,
    messageId: `${timeStamp()}.${randomBytes(8).toString('hex')}@${domain.name}`,
    domain: domain.name,
    from,
    // Without recipient variables every recipient sees the whole list.
    to: variablesByAddress ? undefined : (form.get('to') ?? []).join(', '),
    subject: compile(one('subject') ?? ''),
    html: html === undefined ? undefined : mailbox.body(html),
    text: text === undefined ? undefined : mailbox.body(text),
    headers: prefixed('h:'),
    variables: prefixed('v:'),
    tags: form.get('o:tag') ?? [],
    testMode: one('o:testmode') === 'yes' || one('o:testmode') === 'true',
    arrivedAt: call.arrivedAt,
    receivedAt: Date.now(),
    traceparent: call.traceparent,
    deliveries: [],
  }
  const seen = new Set<string>()
  for (const { address, name } of recipients) {
    if (seen.has(address)) continue
    seen.add(address)
    const values = variablesByAddress?.[address] ?? variablesByAddress?.[address.toLowerCase()]
    batch.deliveries.push({ batch, index: batch.deliveries.length, address, name, values, happened: [] })
  }
  mailbox.add(batch, one('recipient-variables')?.length ?? 0)
  return batch
}

/** The id in the answer of the call, in angle brackets. */
export function answeredId(batch: MessageBatch): string {
  const own = batch.headers.find(([name]) => name.toLowerCase() === 'message-id')?.[1]
  return `<${own && own.names.length === 0 ? own.source.replace(/^<|>$/g, '') : batch.messageId}>`
}

const timeStamp = () => new Date().toISOString().replace(/\D/g, '').slice(0, 14)

function recipientVariables(json: string | undefined): Record<string, Addressee['values']> | undefined {
  if (json === undefined || json === '') return undefined
  try {
    const parsed: unknown = JSON.parse(json)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, Addressee['values']>
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new Refusal(400, 'recipient-variables parameter is not a valid JSON')
}

/** Reads `to` values: repeated, or comma lists; `a@b`, `Name <a@b>` or `"Last, First" <a@b>`. */
function addresses(values: readonly string[], field: string) {
  const written = values.flatMap((value) =>
    value.includes(',') ? (value.match(/(?:"[^"]*"|<[^>]*>|[^,"<])+/g) ?? []) : [value],
  )
  return written
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [, quoted, address] = /^(?:"?([^"<]*?)"?\s*)?<([^<>]+)>$/.exec(item) ?? [undefined, '', item]
      if (!/^[^\s@<>,"]+@[^\s@<>,"]+$/.test(address ?? '')) {
        throw new Refusal(400, `${field} parameter is not a valid address. please check documentation`)
      }
      return { address: (address ?? '').trim(), name: quoted ?? '' }
    })
}
