import { idempotencyKey, type Result } from '@lettergate/client'
import { Button, type ButtonProps } from '@mantine/core'
import { useContext, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { FieldLabels } from '../parts/field-in-words.ts'
import { refusedFields } from '../parts/refused-fields.ts'
import { useUnsaved } from '../parts/use-unsaved.ts'
import { useChange } from '../session/use-answer.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DialogHost } from './dialog-host.tsx'
import { initialOf, isFilled, type AnyField, type DialogFields, type FieldValue, type FormValues } from './fields.ts'
import { FormField } from './form-field.tsx'

export interface ActProps<Fields extends DialogFields, Output> {
  /** what the button of the page says */
  label: string
  /** the title of the dialog; default: the label */
  title?: string
  /** what follows, before it is done */
  consequences?: readonly string[]
  /** must be typed, as it is shown */
  phrase?: string
  /** by the names of the API, so that a refusal names the inputs by their labels */
  fields?: Fields
  /** what the button of the dialog says; default: the label */
  act?: string
  isDangerous?: boolean
  /** `key` is one idempotency key for each opening of the dialog; `changed` are the inputs with another value than at first */
  run: (values: FormValues<Fields>, key: string, changed: Partial<FormValues<Fields>>) => Promise<Result<Output>>
  onDone?: (output: Output) => void
  /** what is said after it; default, also for undefined: that it is done */
  done?: (output: Output) => string | undefined
  /** the page to which the user goes after it */
  goesTo?: (output: Output) => string
  /** the id of the object that is gone after it */
  removes?: string
  button?: ButtonProps
  /** further content of the dialog */
  children?: ReactNode
  /** what helps after a refusal, as long as it is shown; then it is left without a question */
  afterRefusal?: ReactNode
}

/** A button that opens a dialog with what follows, the inputs, and the phrase if there is one. Every change goes this way, but the saving of a form that has a page of its own. */
export function ActButton<const Fields extends DialogFields, Output>({
  label,
  button,
  isDangerous = false,
  ...dialog
}: ActProps<Fields, Output>) {
  const id = useId()
  const openings = useRef(0)
  const [opening, setOpening] = useState<string | null>(null)
  const host = useContext(DialogHost)
  // The answer to a dialog that was closed before must not close the next one of this button.
  const close = (which: string) => {
    setOpening((now) => (now === which ? null : now))
    host.close(which)
  }
  // What the dialog shows of the page follows it as long as the button is there.
  useEffect(() => {
    if (opening === null) return
    const common = { ...dialog, label, isDangerous, onClose: () => close(opening) }
    host.show(opening, <ActDialog {...common} key={opening} />)
  })
  return (
    <Button
      size="compact-sm"
      variant="default"
      {...(isDangerous ? { c: 'var(--mantine-color-red-text)' } : {})}
      {...button}
      onClick={() => setOpening(`${id} ${openings.current++}`)}
    >
      {label}
    </Button>
  )
}

/** What the inputs are called, and their choices that the API gives a name, such as `single_choice`. */
const labelsOf = (fields: readonly [name: string, field: AnyField][]): FieldLabels =>
  Object.fromEntries(
    fields.flatMap(([name, { label: words, choices = [] }]) => [
      ...choices.filter(({ value }) => value.includes('_')).map(({ value, label }) => [value, label]),
      [name, words],
    ]),
  )

/** The dialog of an act; it does what it said when it was opened, and closes itself after a success. It asks before inputs are lost that were changed and not sent. If the user closed it before the answer, a toast says what became of it. */
export function ActDialog<const Fields extends DialogFields, Output>({
  fields,
  isDangerous = false,
  onDone,
  done,
  goesTo,
  removes,
  onClose,
  isReady = true,
  children,
  afterRefusal,
  ...given
}: Omit<ActProps<Fields, Output>, 'button'> & {
  onClose: () => void
  /** false: what it needs does not hold any more, as `children` say */
  isReady?: boolean
}) {
  // The page below may read a newer object meanwhile, which the user did not see.
  const [{ label, title = label, consequences = [], phrase, act = label, run }] = useState(given)
  const all = Object.entries(fields ?? {})
  const [values, setValues] = useState(() => Object.fromEntries(all.map(([name, field]) => [name, initialOf(field)])))
  const [initial] = useState(values)
  const [typed, setTyped] = useState('')
  const asked = all.filter(([, { isAsked }]) => isAsked?.(values) ?? true)
  const [key] = useState(idempotencyKey)
  const changedOf = (given: Record<string, FieldValue>) =>
    Object.fromEntries(
      Object.entries(given).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name])),
    )
  const change = useChange(
    (input: FormValues<Fields>) => run(input, key, changedOf(input) as Partial<FormValues<Fields>>),
    (output) => {
      onClose()
      onDone?.(output)
    },
    {
      done: (output) => done?.(output) ?? `${label}: done`,
      notDone: `${label}: not done`,
      removes,
      ...(goesTo && { goesTo }),
    },
  )
  const { error } = change
  const helps = error ? afterRefusal : undefined
  const isChanged = typed !== '' || Object.keys(changedOf(values)).length > 0
  const { mayLose } = useUnsaved(isChanged && !change.isPending && !helps)
  const refused = refusedFields(error)
  return (
    <ConfirmDialog
      title={title}
      consequences={consequences}
      {...(phrase === undefined ? {} : { phrase })}
      act={act}
      isDangerous={isDangerous}
      isFilled={isReady && asked.every(([name, field]) => isFilled(field, values[name]!))}
      change={change}
      labels={labelsOf(all)}
      mayLose={mayLose}
      onClose={onClose}
      onConfirm={() => change.mutate(values as FormValues<Fields>)}
    >
      {asked.map(([name, field], index) => (
        <FormField
          key={name}
          isFirst={index === 0}
          isRefused={refused.has(name) && change.variables?.[name] === values[name]}
          field={field}
          value={values[name]!}
          onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
          onType={setTyped}
        />
      ))}
      {children}
      {helps}
    </ConfirmDialog>
  )
}
