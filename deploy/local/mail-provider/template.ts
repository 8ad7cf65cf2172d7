/** The recipient variables of one recipient. */
export interface Addressee {
  readonly address: string
  readonly name: string
  readonly values: Readonly<Record<string, unknown>> | undefined
}

/** A text that is split once at its `%recipient.x%` places: literals[0] + value(names[0]) + literals[1] + … */
export interface Template {
  readonly source: string
  readonly literals: readonly string[]
  readonly names: readonly string[]
}

const place = /%(recipient(?:\.[^%\s]{1,200}|_email|_name|_fname|_lname)?)%/g

export function compile(source: string): Template {
  if (!source.includes('%recipient')) return { source, literals: [source], names: [] }
  const parts = source.split(place)
  return {
    source,
    literals: parts.filter((_part, index) => index % 2 === 0),
    names: parts.filter((_part, index) => index % 2 === 1),
  }
}

/** The text for one recipient. A missing variable stays as written. */
export function render({ literals, names }: Template, to: Addressee): string {
  let out = literals[0] ?? ''
  for (let index = 0; index < names.length; index += 1)
    out += value(names[index] ?? '', to) + (literals[index + 1] ?? '')
  return out
}

function value(name: string, { address, name: fullName, values }: Addressee): string {
  switch (name) {
    case 'recipient':
    case 'recipient_email':
      return address
    case 'recipient_name':
      return fullName
    case 'recipient_fname':
      return fullName.split(' ')[0] ?? ''
    case 'recipient_lname':
      return fullName.split(' ').slice(1).join(' ')
    default: {
      const given = values?.[name.slice('recipient.'.length)]
      if (given === undefined) return `%${name}%`
      return typeof given === 'string' ? given : given === null ? '' : JSON.stringify(given)
    }
  }
}
