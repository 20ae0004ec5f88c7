"""Tests of chunk.split: the weakest joints are cut first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gnomon.chunk.split import GLUED, Atoms, Piece, split


def pieces(joints: list[int], *, room: int, target: int | None = None, tiny: int = 0) -> list[Piece]:
    """Split atoms of one token each."""
    atoms = Atoms(
        offsets=range(len(joints) + 1),
        joints=joints,
        cost=lambda start, end: end - start,
        room=lambda _: room,
        target=target or room,
        tiny=tiny,
    )
    return split(atoms, 0, len(joints))


def test_what_fits_stays_whole() -> None:
    """No joint is cut without need."""
    assert pieces([0, 0, 0], room=3) == [(0, 3)]


def test_the_weakest_joint_is_cut_first() -> None:
    """The two halves stay whole although more would fit the first."""
    assert pieces([0, 5, 5, 0, 5, 5], room=5) == [(0, 3), (3, 6)]


def test_small_neighbours_are_joined_up_to_the_target() -> None:
    """Four atoms that could stand alone become pairs."""
    assert pieces([0, 0, 0, 0], room=3, target=2) == [(0, 2), (2, 4)]


def test_parts_of_what_was_cut_do_not_join_its_neighbours() -> None:
    """A remainder of a large thing stays apart from the next thing."""
    assert pieces([0, 9, 9, 9, 0], room=3) == [(0, 3), (3, 4), (4, 5)]


def test_a_tiny_piece_joins_the_neighbour_it_is_tied_to() -> None:
    """A head goes with its body rather than with what is before it."""
    assert pieces([0, 5, 0, 5, 9, 9], room=4, tiny=2) == [(0, 2), (2, 6)]
    assert pieces([0, 0, 0, 0, 5], room=3, target=2, tiny=2) == [(0, 3), (3, 5)]


def test_glued_atoms_are_cut_when_nothing_else_is_left() -> None:
    """Size wins over everything."""
    assert pieces([GLUED] * 4, room=2) == [(0, 2), (2, 4)]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(1, 10), st.integers(1, 10), st.integers(0, 4))
def test_pieces_are_all_atoms_in_order_and_fit(joints: list[int], room: int, target: int, tiny: int) -> None:
    """Nothing is lost, repeated or above its room."""
    found = pieces(joints, room=room, target=target, tiny=tiny)

    assert [at for first, last in found for at in range(first, last)] == list(range(len(joints)))
    assert all(0 < last - first <= room for first, last in found)
