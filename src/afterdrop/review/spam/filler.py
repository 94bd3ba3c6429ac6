"""Printers' filler ("lorem ipsum"): a page that is made of it was never filled, so it sells nothing.

Pure.
"""

from __future__ import annotations

# The words of the passage of Cicero's that printers took, as it has been set since the 1960s, of its other version, and
# of the Latin that makers of longer filler mix into it.
_PASSAGE = """
lorem ipsum dolor sit amet consectetur adipiscing adipisicing elit sed do eiusmod tempor incididunt ut labore et dolore
magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis
aute irure in reprehenderit voluptate velit esse cillum eu fugiat nulla pariatur excepteur sint occaecat cupidatat non
proident sunt culpa qui officia deserunt mollit anim id est laborum
consetetur sadipscing elitr diam nonumy eirmod invidunt erat voluptua at vero eos accusam justo duo dolores ea rebum
stet clita kasd gubergren no sea takimata sanctus
ac accumsan aenean aliquam ante arcu auctor augue bibendum blandit condimentum congue cras cubilia curabitur curae
dapibus dictum dictumst dignissim donec dui egestas eget eleifend elementum eros etiam eu euismod facilisi facilisis
fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit iaculis imperdiet
integer interdum lacinia lacus laoreet lectus leo libero ligula lobortis luctus maecenas malesuada massa mattis mauris
metus mollis morbi nam natoque nec neque netus nibh nisl nullam nunc odio orci ornare pellentesque penatibus pharetra
phasellus placerat platea porta porttitor posuere potenti praesent pretium primis proin pulvinar purus quam quisque
rhoncus ridiculus risus rutrum sagittis sapien scelerisque sem semper senectus sodales sollicitudin suscipit
suspendisse tellus tempus tincidunt tortor tristique turpis ultrices ultricies urna varius vehicula vel venenatis
vestibulum vitae vivamus viverra volutpat vulputate
"""
_WORDS = frozenset(_PASSAGE.split())
_BEGINS = "dolor sit amet"
_SHARE, _CHARS = 0.5, 20_000


def is_filler(text: str) -> bool:
    """Whether half of a text's words or more are filler."""
    low = text[:_CHARS].lower()
    if _BEGINS not in low:
        return False
    words = [word.strip(".,") for word in low.split()]
    return sum(word in _WORDS for word in words) >= _SHARE * len(words)
