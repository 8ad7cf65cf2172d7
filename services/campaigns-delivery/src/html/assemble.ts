import { markPattern, type DocumentPart } from './inspect.ts'
import type { StrippedReport } from './stripped.ts'

/** A part of a document with its cleaned content. */
export interface CleanedPart {
  part: DocumentPart
  html: string
}

/**
 * Puts the parts of a document back at their marks. Style sheets of the body move to the end of the head, where mail clients
 * look for them, unless Outlook ignores the part that contains them; in a fragment they come first. An unmatched start or
 * end is dropped.
 */
export function assemble(marked: string, parts: readonly CleanedPart[], stripped: StrippedReport): string {
  // literal, index, literal, index, …, literal
  const pieces = marked.split(markPattern)
  const indexes = pieces.flatMap((piece, at) => (at % 2 === 1 ? [Number(piece)] : []))
  const paired = pairs(indexes, parts)
  let hasHeadEnded = !marked.includes('</head>')
  let openStarts = 0
  let moved = ''
  const written = pieces.map((piece, at) => {
    if (at % 2 === 0) {
      hasHeadEnded ||= piece.includes('</head>')
      return piece
    }
    const index = Number(piece)
    const { part, html } = parts[index]!
    const isEnd = part.kind === 'start' || part.kind === 'end'
    if (isEnd && !paired.has(index)) {
      stripped.tag('comment')
      return ''
    }
    if (part.kind === 'start') openStarts += 1
    if (part.kind === 'end') openStarts -= 1
    if (part.kind !== 'sheet' || !hasHeadEnded || openStarts > 0) return html
    moved += html
    return ''
  })
  return withSheets(written, moved)
}

/** Finds the starts and ends that belong together. */
function pairs(indexes: readonly number[], parts: readonly CleanedPart[]): ReadonlySet<number> {
  const paired = new Set<number>()
  const starts: number[] = []
  for (const index of indexes) {
    const { kind } = parts[index]!.part
    if (kind === 'start') starts.push(index)
    if (kind !== 'end') continue
    const start = starts.pop()
    if (start !== undefined) paired.add(start).add(index)
  }
  return paired
}

/** `written` alternates pieces of the document with parts. Only the pieces can contain the head. */
function withSheets(written: readonly string[], sheets: string): string {
  if (sheets === '') return written.join('')
  const put = (pattern: RegExp, replace: (tag: string) => string): string | undefined => {
    const index = written.findIndex((piece, at) => at % 2 === 0 && pattern.test(piece))
    if (index === -1) return undefined
    return written.with(index, written[index]!.replace(pattern, replace)).join('')
  }
  return (
    put(/<\/head>/, (tag) => sheets + tag) ??
    put(/<html(?: [^>]*)?>/, (tag) => `${tag}<head>${sheets}</head>`) ??
    sheets + written.join('')
  )
}
