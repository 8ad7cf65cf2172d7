/** What the sanitiser removed: lowercase names, each once, in alphabetical order. */
export interface Stripped {
  tags: string[]
  attributes: string[]
  cssProperties: string[]
  protocols: string[]
}

/** Collects what was removed while a document is cleaned. The same removal is stored once. */
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

  /** Records that something for Outlook was removed, so that the email may look different in it. */
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

/** Names come from hostile input. They are cut to 100 characters and stripped of markup characters. */
function bare(name: string): string {
  const lower = name.toLowerCase().toWellFormed()
  // eslint-disable-next-line no-control-regex
  const cleaned = lower.replace(/[\u0000-\u0020\u007f<>&"']/g, '')
  return cleaned.slice(0, 100).toWellFormed() || 'unnamed'
}
