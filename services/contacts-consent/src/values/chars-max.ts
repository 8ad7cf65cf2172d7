/** The maximum lengths of names, in characters. Other free strings have the default limit of requiredText and optionalText. */
export const charsMax = { personName: 160, name: 160, company: 200, tag: 100 } as const
