/** Several quoted tags with commas between them, as Mailchimp writes its column TAGS. */
const quotedTags = /^"(?:[^"]|"")*"(?:\s*,\s*"(?:[^"]|"")*")*$/

/** Spaces beside a separator, or nothing between two. */
const untidy = /;\s|\s;|;;|^;|;$/

/** The tags of a cell, trimmed and joined by `;`. They are separated by `;`, or quoted and separated by commas. */
export function joinTags(cell: string): string {
  const text = cell.trim()
  if (text.charCodeAt(0) === 34 && quotedTags.test(text)) {
    return tidy([...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, tag]) => tag!.replaceAll('""', '"')))
  }
  return untidy.test(text) ? tidy(text.split(';')) : text
}

const tidy = (tags: readonly string[]): string =>
  tags
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .join(';')
