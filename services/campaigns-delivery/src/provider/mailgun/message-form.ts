import { randomBytes } from 'node:crypto'

/** The part of a messages call that is the same for all recipients. */
export interface CommonMessage {
  domain: string
  /** display name and address of the sender */
  fromName: string
  fromAddress: string
  replyTo: string
  subject: string
  html: string
  text: string
  /** the one-click URL without the recipient's token */
  oneClickUrl: string
  /** more `v:` variables, which the provider returns with every event */
  marks?: Readonly<Record<string, string>>
}

/** One recipient of a messages call. */
export interface MessageRecipient {
  messageId: string
  email: string
  /** completes the links in the templates and in List-Unsubscribe */
  preferenceToken: string
  /** values for `%recipient.<name>%` in the templates */
  variables: Readonly<Record<string, string>>
  /** the trace that the events of this message continue, instead of that of the call */
  traceparent?: string
}

/** The common part as bytes, made once for a run. Its boundary is random, so that no content can contain it. */
export interface PreparedForm {
  readonly boundary: string
  readonly head: Buffer
}

const field = (boundary: string, name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/**
 * Prepares the fixed fields: content, headers and options. The message id of each recipient is also in the Message-Id
 * header, so that a message can be found at the provider without its answer.
 */
export function prepareForm(message: CommonMessage): PreparedForm {
  const boundary = `lettergate-${randomBytes(16).toString('hex')}`
  const fields: [name: string, value: string][] = [
    ['from', mailbox(message.fromName, message.fromAddress)],
    ['subject', message.subject],
    ['html', message.html],
    ['text', message.text],
    ['v:message_id', '%recipient.message_id%'],
    ...Object.entries(message.marks ?? {}).map(([name, value]): [string, string] => [`v:${name}`, value]),
    ['h:Message-Id', `<%recipient.message_id%@${message.domain}>`],
    ['h:Reply-To', message.replyTo],
    ['h:List-Unsubscribe', `<${message.oneClickUrl}%recipient.preference_token%>`],
    ['h:List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['o:tracking', 'yes'],
    ['o:tracking-opens', 'yes'],
    ['o:tracking-clicks', 'htmlonly'],
  ]
  return { boundary, head: Buffer.from(fields.map(([name, value]) => field(boundary, name, value)).join('')) }
}

/**
 * Builds the body of one call. Each recipient sees only their own address. The trace context of the call, or that of the
 * recipient, is sent along and returns with the events.
 */
export function formBody(form: PreparedForm, recipients: readonly MessageRecipient[], traceparent?: string): Buffer {
  const variables: Record<string, Record<string, string>> = Object.create(null) as Record<
    string,
    Record<string, string>
  >
  const hasOwnTraces = recipients.some((recipient) => recipient.traceparent !== undefined)
  for (const { email, messageId, preferenceToken, variables: own, traceparent: ownTrace } of recipients) {
    const trace: Record<string, string> = hasOwnTraces ? { traceparent: ownTrace ?? traceparent ?? '' } : {}
    variables[email] = { ...own, ...trace, message_id: messageId, preference_token: preferenceToken }
  }
  const trace = hasOwnTraces ? '%recipient.traceparent%' : traceparent
  let tail = trace === undefined ? '' : field(form.boundary, 'v:traceparent', trace)
  tail += field(form.boundary, 'to', recipients.map(({ email }) => email).join(', '))
  tail += field(form.boundary, 'recipient-variables', JSON.stringify(variables))
  return Buffer.concat([form.head, Buffer.from(`${tail}--${form.boundary}--\r\n`)])
}

/** An RFC 5322 mailbox. Characters that could end the quoted name or the line are removed. */
function mailbox(name: string, address: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = name.replace(/[\u0000-\u001f\u007f"\\<>%]+/g, ' ').trim()
  return clean === '' ? address : `"${clean}" <${address}>`
}
