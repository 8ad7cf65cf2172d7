/** Longest names, in characters; every other free string has the limit that requiredText and optionalText have by themselves. */
export const charsMax = { personName: 160, name: 160, company: 200, tag: 100 } as const
