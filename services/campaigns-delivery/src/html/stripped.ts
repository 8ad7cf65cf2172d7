/** What the sanitiser removed, as bare lowercase names, each once and in alphabetical order. */
export interface Stripped {
  tags: string[]
  attributes: string[]
  cssProperties: string[]
  protocols: string[]
}

/** Collects removals while a document is cleaned; the same thing removed twice is one entry. */
export class StrippedReport {
  readonly #tags = new Set<string>()
  readonly #attributes = new Set<string>()
  readonly #cssProperties = new Set<string>()
  readonly #protocols = new Set<string>()
  #lostInOutlook = false

  tag(name: string): void {
    this.#tags.add(bare(name))
  }

  attribute(name: string): void {
    this.#attributes.add(bare(name))
  }

  cssProperty(name: string): void {
    this.#cssProperties.add(bare(name))
  }

  protocol(name: string): void {
    this.#protocols.add(bare(name))
  }

  /** What was removed was there for Outlook: the email may look different in it. */
  outlook(): void {
    this.#lostInOutlook = true
  }

  get lostInOutlook(): boolean {
    return this.#lostInOutlook
  }

  entries(): Stripped {
    return {
      tags: [...this.#tags].toSorted(),
      attributes: [...this.#attributes].toSorted(),
      cssProperties: [...this.#cssProperties].toSorted(),
      protocols: [...this.#protocols].toSorted(),
    }
  }
}

/** Names come from hostile input: they are cut to 100 characters and carry nothing that could be markup. */
function bare(name: string): string {
  const lower = name.toLowerCase().toWellFormed()
  // eslint-disable-next-line no-control-regex
  const letters = lower.replace(/[\u0000-\u0020\u007f<>&"']/g, '')
  return letters.slice(0, 100).toWellFormed() || 'unnamed'
}
