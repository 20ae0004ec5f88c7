"""Tables of one corpus, and the steps from one version of them to the next."""

from __future__ import annotations

# Steps by the version they lead to; each runs once, in one transaction, and never changes afterwards.
#
# ``document`` leads the key of every large table and stands in every statement on it, so that a table can be
# partitioned, or distributed over servers, by document without a change here.
MIGRATIONS: dict[int, str] = {
    1: """
CREATE TABLE {s}.meta (key text PRIMARY KEY, value text NOT NULL);

-- One row, changed by every commit: writers take turns at it.
CREATE TABLE {s}.state (
    generation bigint NOT NULL,
    last_document bigint NOT NULL,
    documents bigint NOT NULL DEFAULT 0,
    skips bigint NOT NULL DEFAULT 0,
    chunks bigint NOT NULL DEFAULT 0,
    words bigint NOT NULL DEFAULT 0,    -- of all chunks, each as often as it occurs
    vectors bigint NOT NULL DEFAULT 0,
    waiting bigint NOT NULL DEFAULT 0,
    kept bigint NOT NULL DEFAULT 0,
    commits bigint NOT NULL DEFAULT 0,  -- since the last tidying
    removed bigint NOT NULL DEFAULT 0,  -- chunks, since tables were written anew
    peak bigint NOT NULL DEFAULT 0,     -- most vectors in use at once
    peak_since bigint NOT NULL DEFAULT 0,
    fingerprint text NOT NULL,
    weights text NOT NULL,              -- of the fields, as they are in chunks.counts
    extractor text NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE {s}.documents (
    id bigint PRIMARY KEY,
    folder bytea NOT NULL,
    path bytea NOT NULL,
    size_bytes bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    ctime_ns bigint NOT NULL,
    sha256 text NOT NULL,
    extractor text NOT NULL,
    chunk_count integer NOT NULL,
    unliving boolean NOT NULL,
    generation bigint NOT NULL, -- of the last change to this row
    head text NOT NULL          -- JSON of all that is only read back
);
CREATE UNIQUE INDEX documents_path ON {s}.documents (folder, path);
CREATE INDEX documents_generation ON {s}.documents (generation);
CREATE INDEX documents_unliving ON {s}.documents (id) WHERE unliving;

CREATE TABLE {s}.skips (
    folder bytea NOT NULL,
    path bytea NOT NULL,
    reason text NOT NULL,
    size_bytes bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    ctime_ns bigint NOT NULL,
    sha256 text NOT NULL,
    extractor text NOT NULL,
    detail bytea NOT NULL,
    PRIMARY KEY (folder, path)
);

-- What ranking reads, apart from the texts, so that candidates are read from few pages.
CREATE TABLE {s}.chunks (
    document bigint NOT NULL,
    id bigint NOT NULL,
    key bytea NOT NULL,
    length integer NOT NULL,   -- words
    words integer[] NOT NULL,  -- vocabulary.id, each once; what the index finds
    counts bytea NOT NULL,     -- of each, by the weight of its fields; see words.packed
    PRIMARY KEY (document, id)
);
-- A question reads the list of pending entries too, so it is short.
CREATE INDEX chunks_words ON {s}.chunks USING gin (words) WITH (gin_pending_list_limit = 1024);

CREATE TABLE {s}.texts (
    document bigint NOT NULL,
    id bigint NOT NULL,
    crc bigint NOT NULL,
    head text NOT NULL,  -- JSON
    body bytea NOT NULL, -- UTF-8
    embedded bytea,      -- UTF-8, where the embedder reads something else
    PRIMARY KEY (document, id)
);

CREATE TABLE {s}.vectors (
    document bigint NOT NULL,
    id bigint NOT NULL,
    key bytea NOT NULL,
    half {v}.halfvec NOT NULL,
    PRIMARY KEY (document, id)
);
CREATE INDEX vectors_key ON {s}.vectors (key);

CREATE TABLE {s}.waiting (
    document bigint NOT NULL,
    id bigint NOT NULL,
    key bytea NOT NULL,
    mtime_ns bigint NOT NULL,
    PRIMARY KEY (document, id)
);
CREATE INDEX waiting_key ON {s}.waiting (key);
CREATE INDEX waiting_newest ON {s}.waiting (mtime_ns DESC, id);

-- Vectors that no chunk has at present.
CREATE TABLE {s}.kept (key bytea PRIMARY KEY, idle_since bigint NOT NULL, half {v}.halfvec NOT NULL);

CREATE TABLE {s}.vocabulary (word text COLLATE "C" PRIMARY KEY, id integer GENERATED ALWAYS AS IDENTITY);

-- Changes of the number of chunks with a word, to be added up.
CREATE TABLE {s}.frequencies (word integer NOT NULL, chunks integer NOT NULL);
CREATE INDEX frequencies_word ON {s}.frequencies (word) INCLUDE (chunks);

-- Who is computing the vector of a text, until when.
CREATE TABLE {s}.leases (key bytea PRIMARY KEY, owner text NOT NULL, expires timestamptz NOT NULL);
"""
}
VERSION = max(MIGRATIONS)

# Tables that are emptied when an index is replaced; kept stays where the model is the same.
CONTENT = ("documents", "skips", "chunks", "texts", "vectors", "waiting", "frequencies", "vocabulary", "leases")
