/** The exit status of the program for each outcome. */
export const exitCodes = {
  /** everything is stored, now or by an earlier run */
  done: 0,
  /** the command line or the settings are wrong */
  usage: 1,
  /** the export does not match its manifest, or cannot be read; nothing was written */
  export: 2,
  /** production, an open sending ceiling, or an operator without the right; nothing was written */
  environment: 3,
  /** some objects were refused by a service; the others are stored */
  partial: 4,
  /** a service did not answer; what was stored stays, and a repeat continues */
  unavailable: 5,
} as const

export type RefusalKind = Exclude<keyof typeof exitCodes, 'done' | 'partial'>

/** Ends the program with one message for the operator. */
export class ReconstructionRefusal extends Error {
  readonly kind: RefusalKind
  constructor(kind: RefusalKind, message: string) {
    super(message)
    this.name = 'ReconstructionRefusal'
    this.kind = kind
  }
}

const shownMax = 20

/** The first problems, one for each line, and the number of the others. */
export const listed = (problems: readonly string[]): string =>
  [...problems.slice(0, shownMax), ...(problems.length > shownMax ? [`and ${problems.length - shownMax} more`] : [])]
    .map((problem) => `  ${problem}`)
    .join('\n')
