/** The fields that a column can fill, besides `custom.<field_key>`. */
const plainTargets = [
  'email',
  'first_name',
  'last_name',
  'company',
  'country_code',
  'locale',
  'timezone',
  'phone',
  'tags',
  'status',
  'captured_at',
  'ignore',
] as const

const customTarget = /^custom\.([a-z][a-z0-9_]{0,99})$/

/** What operators can choose, for messages. */
export const targetList = [...plainTargets, 'custom.<field_key>'].join(', ')

/** Whether a text names a target. A custom field may still be undefined. */
export const isTarget = (text: string): boolean =>
  plainTargets.some((target) => target === text) || customTarget.test(text)

/** The key of a custom field, if the target is one. */
export const customFieldKey = (target: string): string | undefined => customTarget.exec(target)?.[1]

/** Whether several columns may have this target. */
export const isMultiple = (target: string): boolean => target === 'tags' || target === 'ignore'
