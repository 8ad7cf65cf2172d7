import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { Input } from '@mantine/core'
import { getNonce } from 'get-nonce'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { completeTokens, type OfferedToken } from './complete-tokens.ts'

/** The colors of the theme, which change with its scheme. */
const colors = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--code-tag)' },
  { tag: tags.attributeName, color: 'var(--code-attribute)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--code-value)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
])

/** An editor of HTML that completes tokens. The Tab key leaves it, so that the keyboard is enough. */
export default function CodeEditor({
  label,
  description,
  initial,
  tokens,
  onChange,
}: {
  label: string
  description: string
  initial: string
  tokens: readonly OfferedToken[]
  onChange: (text: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const current = useRef({ tokens, onChange })
  useEffect(() => {
    current.current = { tokens, onChange }
  })
  const first = useRef(initial)
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          lineNumbers(),
          history(),
          closeBrackets(),
          html({ autoCloseTags: false }),
          syntaxHighlighting(colors),
          autocompletion({ override: [(context) => completeTokens(current.current.tokens)(context)] }),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) current.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.scrollDOM.tabIndex = 0 // it scrolls on a narrow screen
    return () => view.destroy()
  }, [label])
  return (
    <Input.Wrapper label={label} description={description} withAsterisk labelElement="div">
      <div ref={place} className="code" />
    </Input.Wrapper>
  )
}
