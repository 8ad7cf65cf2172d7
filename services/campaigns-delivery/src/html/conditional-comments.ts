/**
 * A conditional comment. Outlook and old versions of Internet Explorer evaluate the condition:
 * `hidden` is markup that only they can read, `start` and `end` surround markup that all other clients read too.
 */
export type ConditionalComment =
  { kind: 'hidden'; condition: string; markup: string } | { kind: 'start'; condition: string } | { kind: 'end' }

const conditionCharsMax = 100
const conditionPattern =
  /^(?:\s*(?:[()!&|]|(?:(?:gte|gt|lte|lt)\s+)?\b(?:mso|ie|vml)\b(?:\s+\d{1,2}(?:\.\d{1,4})?)?))+\s*$/i

/** Reads the text of a comment; undefined when it is not one of the known forms. `isBare` is the form without hyphens, `<![if …]>`. */
export function readConditional(text: string, isBare: boolean): ConditionalComment | undefined {
  if (isBare ? /^\[endif\]$/i.test(text) : /^\s*<!\s*\[endif\]\s*$/i.test(text)) return { kind: 'end' }
  const opening = /^\[if\s([^\]<>]*)\]/i.exec(text)
  const condition = opening?.[1]?.trim().replace(/\s+/g, ' ') ?? ''
  if (!opening || condition.length > conditionCharsMax || !conditionPattern.test(condition)) return undefined
  const rest = text.slice(opening[0].length)
  if (isBare) return rest === '' ? { kind: 'start', condition } : undefined
  if (/^>\s*(?:<!(?:--\s*)?)?$/.test(rest)) return { kind: 'start', condition }
  const closing = /(?:<!--\s*)?<!\s*\[endif\]\s*$/i.exec(rest.slice(-100))
  if (rest[0] !== '>' || !closing) return undefined
  return { kind: 'hidden', condition, markup: rest.slice(1, rest.length - closing[0].length) }
}

/** Whether a comment that is not kept was written for Outlook. */
export const isForOutlook = (text: string): boolean => /^\s*\[if[^\]]*\bmso\b/i.test(text)

/** Writes a conditional comment in its stored form. Clean markup cannot end the comment, because each of its `>` ends a tag. */
export function writeConditional(comment: ConditionalComment): string {
  if (comment.kind === 'end') return '<!--<![endif]-->'
  const opening = `<!--[if ${comment.condition}]>`
  return comment.kind === 'start' ? `${opening}<!-->` : `${opening}${comment.markup}<![endif]-->`
}

const marker = /<!--\[if ([^\]]*)\]>(<!-->)?|<!--<!\[endif\]-->|<!\[endif\]-->/g

/**
 * Whether the client of a condition reads the markup: always in hidden comments; in other parts unless the condition begins
 * with "not".
 */
const readsMost = (condition: string, isHidden: boolean): boolean => isHidden || !/^[(\s]*!/.test(condition)

/**
 * Returns stored HTML as Outlook reads it: with the markup of hidden comments and of the other parts whose condition is
 * true.
 */
export function outlookReading(html: string, reads = readsMost): string {
  let reading = ''
  let position = 0
  let skipped = 0
  let isHiddenSkipped = false
  for (const match of html.matchAll(marker)) {
    const [text, condition = '', isStart] = match
    if (skipped === 0 && !isHiddenSkipped) reading += html.slice(position, match.index)
    if (text === '<![endif]-->') isHiddenSkipped = false
    else if (text === '<!--<![endif]-->') skipped = Math.max(0, skipped - 1)
    else if (isStart === undefined) isHiddenSkipped = !reads(condition, true)
    else if (skipped > 0 || !reads(condition, false)) skipped += 1
    position = match.index + text.length
  }
  return reading + html.slice(position)
}
