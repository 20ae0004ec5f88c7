"""Text to chunks: by syntax tree, by headings, by paragraphs."""
